import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { breakages } from './accounting/damage.js';
import { plantedFaults } from './chaos/planted/planted.js';
import { soakReplicas } from './chaos/soak.js';
import { soakInMemory } from './in-memory.js';
import { reportLines, type SoakResult, Tally } from './report.js';

// Random operations, faults and jumps of clocks against the reference server, until the time is over; then everything must
// be accounted for. The same seed gives the same operations. What happens at the same time may happen in another order,
// because sockets and processes are real.
//
// With --store the service runs in its own processes, as many as --replicas says, and --chaos kills and stops them,
// cuts their connections and restarts their database.

const { values } = parseArgs({
  options: {
    duration: { type: 'string', default: '10m' },
    seed: { type: 'string' },
    break: { type: 'string' },
    store: { type: 'string' },
    replicas: { type: 'string', default: '1' },
    chaos: { type: 'boolean', default: false },
    fault: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const { json, chaos } = values;
const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber(values.seed);
const duration = milliseconds(values.duration);
const store = oneOf(['postgres', 'memory'] as const, '--store', values.store);
const replicas = wholeNumber(values.replicas);
if (replicas < 1 || (store === 'memory' && (replicas > 1 || values.fault !== undefined))) {
  throw new TypeError(
    '--replicas takes a number from 1. In memory there is one replica, and no fault to plant.',
  );
}
const breakage = oneOf(breakages, '--break', values.break);
const all = store !== undefined && values.fault === 'all';
const faults = all ? plantedFaults : [oneOf(plantedFaults, '--fault', values.fault)];

// The processes of the service end with this one.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const say = (line: string) => {
  if (!json) console.log(line);
};
say(
  `Soaking ${store === undefined ? 'a server' : `${replicas} of ${store}`} for ${values.duration}, --seed ${seed}, Node ${process.version}`,
);
let failures = 0;
for (const fault of faults) {
  const tally = new Tally();
  const options = { seed, duration, tally, onProgress: all ? () => {} : say };
  const result =
    store === undefined
      ? await soakInMemory({ ...options, breakage })
      : await soakReplicas({ ...options, store, replicas, chaos, fault });
  tell(result, tally, fault);
  // With `--fault all`, a fault that is not found is the failure.
  if (result.problems.length > 0 !== all) failures += 1;
}
if (all) say(`${faults.length - failures} of ${faults.length} planted faults are found.`);
// Set, not called: the process has to end by itself.
if (failures > 0) process.exitCode = 1;

function tell(result: SoakResult, tally: Tally, fault: string | undefined): void {
  const { problems, seconds } = result;
  if (json)
    console.log(JSON.stringify({ seed, fault, node: process.version, ...result, counts: tally }, null, 2));
  else if (all) {
    const verdict = problems.length === 0 ? 'NOT FOUND' : `found, ${problems.length} discrepancies`;
    console.log(`${fault}: ${verdict} in ${seconds.toFixed(0)} s\n    ${problems[0] ?? ''}`);
  } else console.log(['', ...reportLines(result, tally), `--seed ${seed}`].join('\n'));
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError('--seed and --replicas take a whole number of up to nine digits.');
}

function milliseconds(text: string): number {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(text) ?? [];
  if (amount === undefined) throw new TypeError("--duration takes a time such as '30s' or '10m'.");
  return Number(amount) * (unit === 'm' ? 60_000 : 1_000);
}

function oneOf<Name extends string>(
  names: readonly Name[],
  flag: string,
  text: string | undefined,
): Name | undefined {
  if (text === undefined) return undefined;
  const found = names.find((each) => each === text);
  if (found === undefined) throw new TypeError(`${flag} takes one of ${names.join(', ')}.`);
  return found;
}
