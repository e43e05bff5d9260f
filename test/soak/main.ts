import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { soakReplicas } from './chaos/soak.js';
import { soakInMemory } from './in-memory.js';
import { reportLines, type SoakResult, Tally } from './report.js';

// Random operations, faults and jumps of clocks against the reference server, until the time is over; then everything must
// be accounted for. The same seed gives the same operations. What happens at the same time may happen in another order,
// because sockets and processes are real.
//
// With --store the service runs in its own processes, as many as --replicas says, and --chaos kills and stops them,
// cuts their connections and restarts their database. With --restores, their database also goes back to a backup twice: in the middle
// of the load, and at its end. With --upgrade-from, the dist/cli.js of an older version, they begin with that version and are upgraded a
// third through the load.

const { values } = parseArgs({
  options: {
    duration: { type: 'string', default: '10m' },
    seed: { type: 'string' },
    store: { type: 'string' },
    replicas: { type: 'string', default: '1' },
    chaos: { type: 'boolean', default: false },
    restores: { type: 'boolean', default: false },
    'upgrade-from': { type: 'string' },
  },
});
const { chaos, restores, 'upgrade-from': upgradeFrom } = values;
const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber(values.seed);
const duration = milliseconds(values.duration);
const { store } = values;
if (store !== undefined && store !== 'postgres') throw new TypeError('--store takes postgres.');
const replicas = wholeNumber(values.replicas);
if (replicas < 1) throw new TypeError('--replicas takes a number from 1.');

// The processes of the service end with this one.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

console.log(
  `Soaking ${store === undefined ? 'a server' : `${replicas} of ${store}`} for ${values.duration}, --seed ${seed}, Node ${process.version}`,
);
const tally = new Tally();
const options = { seed, duration, tally, onProgress: console.log };
const result =
  store === undefined
    ? await soakHere()
    : await soakReplicas({
        ...options,
        replicas,
        chaos,
        restores,
        ...(upgradeFrom !== undefined && { upgradeFrom: resolve(upgradeFrom) }),
      });
console.log(['', ...reportLines(result, tally), `--seed ${seed}`].join('\n'));
// Set, not called: the process has to end by itself.
if (result.problems.length > 0) process.exitCode = 1;

/** Soaks a server of this process, which must leave nothing behind in it. */
async function soakHere(): Promise<SoakResult> {
  const result = await soakInMemory(options);
  return { ...result, problems: [...result.problems, ...(await leftovers())] };
}

/** What keeps the process alive although everything is closed: nothing may but its own input and output. */
async function leftovers(): Promise<readonly string[]> {
  const ownPipes = ['TTYWrap', 'PipeWrap'];
  const endsAt = performance.now() + 5_000;
  for (;;) {
    const left = process.getActiveResourcesInfo().filter((kind) => !ownPipes.includes(kind));
    if (left.length === 0) return [];
    if (performance.now() > endsAt) return [`still there after everything was closed: ${left.join(', ')}`];
    await wait(50);
  }
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
