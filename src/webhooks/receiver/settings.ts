import { systemClock } from '../../foundation/clock.js';
import { createMemoryDedupeStore } from '../dedupe/memory-dedupe-store.js';
import { replayWindowLength } from '../verification/replay-window.js';
import type { DrainOptions } from './drain.js';
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
    rememberFor = memoryFor(replayWindowLength(options.tolerance)),
  } = options;
  for (const [name, value] of Object.entries({
    maxBodyBytes,
    deadline,
    lease,
    handlerTimeout,
    rememberFor,
  })) {
    // Infinity is invalid, because no store and no timer accepts it.
    if (!Number.isFinite(value) || value <= 0) throw new TypeError(`${name} must be a number above zero.`);
  }
  if (!(typeof maxConcurrent === 'number' && maxConcurrent >= 1)) {
    throw new TypeError('maxConcurrent must be a number of one or more; Infinity sets no bound.');
  }
  if (workspaceId !== undefined && (typeof workspaceId !== 'string' || workspaceId === '')) {
    throw new TypeError('workspaceId must be a string that is not empty. Is its environment variable set?');
  }
  if (dedupeKey !== undefined && typeof dedupeKey !== 'function') {
    throw new TypeError('dedupeKey must be a function of the event.');
  }
  allow('acknowledge', acknowledge, ['after-handlers', 'after-claim']);
  allow('whenSlow', whenSlow, ['retry', 'acknowledge']);
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
    ttl: rememberFor,
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

function allow(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new TypeError(`${name} must be ${allowed.map((one) => `'${one}'`).join(' or ')}.`);
}
