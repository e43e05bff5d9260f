import { systemClock } from '../../foundation/clock.js';
import { createWarnings } from '../../foundation/warnings.js';
import { createMemoryDedupeStore } from '../dedupe/memory-dedupe-store.js';
import { replayWindowLength } from '../verification/replay-window.js';
import type { DrainOptions } from './drain.js';
import { checkHandler } from './handlers.js';
import type { WebhookReceiverOptions } from './receiver-options.js';

/** Validates the options, and fills in the defaults. */
export function readSettings<Request>(options: WebhookReceiverOptions<Request>) {
  const {
    clock = systemClock,
    workspaceId,
    dedupeKey,
    maxBodyBytes = 1024 * 1024,
    deadline = 4_500,
    lease = 30_000,
    handlerTimeout = 15 * minute,
    maxConcurrent = 1_000,
    acknowledge = 'after-handlers',
    whenSlow = 'retry',
    dedupe = createMemoryDedupeStore({ clock }),
  } = options;
  for (const [name, [fits, wanted]] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !fits(value)) throw new TypeError(`${name} must be ${wanted}.`);
  }
  if (options.onUnknownEvent !== undefined) checkHandler('onUnknownEvent', options.onUnknownEvent);
  if (options.secret === undefined || options.secret === '')
    createWarnings('MessagingAutomationSecret')('missing', missingSecret);
  if (acknowledge === 'after-claim' && dedupe === false) {
    throw new TypeError(
      "acknowledge: 'after-claim' needs a dedupe store to claim from; leave out dedupe: false.",
    );
  }
  return {
    clock,
    maxBodyBytes,
    deadline,
    handlerTimeout,
    maxConcurrent,
    workspaceId,
    acknowledge,
    whenSlow,
    dedupe,
    dedupeKey,
    lease,
    ttl: options.rememberFor ?? memoryFor(replayWindowLength(options.tolerance)),
  };
}

/** Validates the timeout of `drain`, and fills in the default. */
export function readDrainTimeout({ timeout = 8_000 }: DrainOptions): number {
  if (!Number.isFinite(timeout) || timeout < 0) {
    throw new TypeError('The timeout of drain must be a number of milliseconds, zero or more.');
  }
  return timeout;
}

const minute = 60 * 1000;
const week = 7 * 24 * 60 * minute;

/** As long as the replay window accepts a delivery again. Seven days if the window has no limit. */
function memoryFor(replayWindow: number): number {
  return Number.isFinite(replayWindow) ? Math.max(minute, replayWindow) : week;
}

const isFunction = (value: unknown) => typeof value === 'function';
const has = (value: unknown, name: string) => isFunction(Reflect.get(Object(value), name));
const oneOf = (...words: readonly string[]): Check => [
  (value) => words.some((word) => word === value),
  words.map((word) => `'${word}'`).join(' or '),
];
// No store and no timer accepts Infinity.
const isTime = (least: number) => (value: unknown) => Number.isFinite(value) && Number(value) >= least;
const aTime: Check = [isTime(1), 'a number of milliseconds, 1 or more'];
// A smaller number is meant as seconds.
const aLongTime: Check = [isTime(100), 'a number of milliseconds, 100 or more'];
const aFunction: Check = [isFunction, 'a function'];

type Check = readonly [fits: (value: unknown) => boolean, wanted: string];

/** What each option must be, for programs without types. */
const checks: Readonly<Record<string, Check>> = {
  clock: [
    (value) => has(value, 'now') && has(value, 'setTimer'),
    'an object with the methods now and setTimer',
  ],
  workspaceId: [(value) => typeof value === 'string' && value !== '', 'a string that is not empty'],
  maxBodyBytes: [isTime(1), 'a number above zero'],
  deadline: aLongTime,
  lease: aLongTime,
  handlerTimeout: aTime,
  rememberFor: aTime,
  maxConcurrent: [
    (value) => typeof value === 'number' && value >= 1,
    'a number of one or more; Infinity sets no bound',
  ],
  dedupe: [
    (value) => value === false || ['claim', 'renew', 'commit', 'release'].every((verb) => has(value, verb)),
    'a dedupe store, with the methods claim, renew, commit and release, or false',
  ],
  dedupeKey: [isFunction, 'a function of the event'],
  acknowledge: oneOf('after-handlers', 'after-claim'),
  whenSlow: oneOf('retry', 'acknowledge'),
  tolerance: [
    (value) =>
      value === false ||
      (typeof value === 'object' && value !== null && !Array.isArray(value) && !('seconds' in value)),
    'an object { past, future } of milliseconds, or false',
  ],
  validation: oneOf('warn', 'strict', 'off'),
  onDrift: aFunction,
  onSlowHandler: aFunction,
  onHandled: aFunction,
  onDuplicate: aFunction,
  onRefused: aFunction,
  onError: aFunction,
  waitUntil: aFunction,
};

/** A warning and no error, because some frameworks load a receiver at build time, without secrets. */
const missingSecret =
  'A webhook receiver was created without a secret, so it answers each delivery with 500. Is its environment variable set?';
