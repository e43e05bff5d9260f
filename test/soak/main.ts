import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { breakages } from './accounting/damage.js';
import { plantedFaults } from './chaos/planted/planted.js';
import { chaosData, chaosLines } from './chaos/report.js';
import { type ChaosOptions, chaosSoak } from './chaos/soak.js';
import { progressLine, reportData, reportLines } from './report.js';
import { type Progress, soak } from './soak.js';
import { Tally } from './tally.js';

// Random operations, faults, kills of receivers and jumps of clocks against the reference server, until the time is over;
// then everything must be accounted for. The seed gives the same plan again. What happens at the same time may fall
// otherwise in another run, for sockets and processes are real.
//
// With --store the service runs in processes of its own, as many as --replicas says, and --chaos kills and stops them,
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
const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber(values.seed);
const duration = milliseconds(values.duration);
const problems = values.store === undefined ? await soakInProcess() : await soakReplicas(values.store);
// Set, not called: the process has to end by itself.
if (problems.length > 0) process.exitCode = 1;

async function soakInProcess(): Promise<readonly string[]> {
  const breakage = oneOf(breakages, '--break', values.break);
  if (!values.json) console.log(`Soaking for ${values.duration}, --seed ${seed}, Node ${process.version}`);
  let told = 0;
  const onRound = (progress: Progress) => {
    if (values.json || progress.seconds - told < 3) return;
    told = progress.seconds;
    console.log(progressLine(progress));
  };
  const result = await soak({ seed, duration, breakage, onRound });
  tell(reportData(result), reportLines(result));
  return result.problems;
}

/** Its processes end with this one. */
function endOnSignals(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
}

async function soakReplicas(text: string): Promise<readonly string[]> {
  endOnSignals();
  const store = oneOf<ChaosOptions['store']>(['postgres', 'memory'], '--store', text) ?? 'postgres';
  const replicas = wholeNumber(values.replicas);
  if (replicas < 1 || (store === 'memory' && (replicas > 1 || values.fault !== undefined))) {
    throw new TypeError(
      '--replicas takes a number from 1. In memory there is one replica, and no fault to plant.',
    );
  }
  if (values.fault === 'all') return findAllFaults({ store, replicas });
  const fault = oneOf(plantedFaults, '--fault', values.fault);
  const planted = fault === undefined ? '' : `, with the planted fault ${fault}`;
  if (!values.json) {
    console.log(`Soaking ${replicas} of ${store} for ${values.duration}, --seed ${seed}${planted}`);
  }
  const tally = new Tally();
  const { chaos } = values;
  const result = await chaosSoak({ seed, duration, store, replicas, chaos, fault, tally, onProgress });
  tell(chaosData(result, tally), chaosLines(result, tally));
  return result.problems;
}

/** Soaks with one planted fault after the other. A problem is a fault that is not found. */
async function findAllFaults(service: Pick<ChaosOptions, 'store' | 'replicas'>): Promise<readonly string[]> {
  const missed: string[] = [];
  const found: { readonly fault: string; readonly seconds: number; readonly problems: readonly string[] }[] =
    [];
  for (const fault of plantedFaults) {
    const options = { ...service, seed, duration, chaos: values.chaos, fault, tally: new Tally() };
    const { problems, seconds } = await chaosSoak({ ...options, onProgress: () => {} });
    found.push({ fault, seconds, problems });
    const verdict = problems.length === 0 ? 'NOT FOUND' : `found, ${problems.length} discrepancies`;
    onProgress(`${fault}: ${verdict} in ${seconds.toFixed(0)} s\n    ${problems[0] ?? ''}`);
    if (problems.length === 0) missed.push(fault);
  }
  tell({ faults: found }, [`${found.length - missed.length} of ${found.length} planted faults are found.`]);
  return missed;
}

function onProgress(line: string): void {
  if (!values.json) console.log(line);
}

function tell(data: object, lines: readonly string[]): void {
  if (values.json) console.log(JSON.stringify({ seed, node: process.version, ...data }, undefined, 2));
  else console.log(['', ...lines, `--seed ${seed}`].join('\n'));
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
