import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Breakage, breakages } from './accounting/damage.js';
import { progressLine, reportData, reportLines } from './report.js';
import { type Progress, soak } from './soak.js';

// Random operations, faults, kills of receivers and jumps of clocks against the reference server, until the time is over;
// then everything must be accounted for. The seed gives the same plan again. What happens at the same time may fall
// otherwise in another run, for sockets and processes are real.

const { values } = parseArgs({
  options: {
    duration: { type: 'string', default: '10m' },
    seed: { type: 'string' },
    break: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber(values.seed);
const duration = milliseconds(values.duration);
const breakage = values.break === undefined ? undefined : breakageOf(values.break);

if (!values.json) console.log(`Soaking for ${values.duration}, --seed ${seed}, Node ${process.version}`);
let told = 0;
const onRound = (progress: Progress) => {
  if (values.json || progress.seconds - told < 3) return;
  told = progress.seconds;
  console.log(progressLine(progress));
};
const result = await soak({ seed, duration, breakage, onRound });
if (values.json)
  console.log(JSON.stringify({ seed, node: process.version, ...reportData(result) }, undefined, 2));
else console.log(['', ...reportLines(result), `--seed ${seed}`].join('\n'));
// Set, not called: the process has to end by itself.
if (result.problems.length > 0) process.exitCode = 1;

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError('--seed takes a whole number of up to nine digits.');
}

function milliseconds(text: string): number {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(text) ?? [];
  if (amount === undefined) throw new TypeError("--duration takes a time such as '30s' or '10m'.");
  return Number(amount) * (unit === 'm' ? 60_000 : 1_000);
}

function breakageOf(text: string): Breakage {
  const found = breakages.find((each) => each === text);
  if (found === undefined) throw new TypeError(`--break takes one of ${breakages.join(', ')}.`);
  return found;
}
