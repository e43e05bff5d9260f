import { systemClock } from '../../foundation/clock.js';
import {
  aFunction,
  aText,
  ConfigurationError,
  checkOptions,
  hasMethods,
  milliseconds,
  type OptionChecks,
  oneOf,
  protects,
} from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import { createMemoryDedupeStore } from '../dedupe/memory-dedupe-store.js';
import { defaultFuture, defaultPast, unwrapChecks } from '../verification/unwrap.js';
import { aHandler } from './handlers.js';
import type { WebhookReceiverOptions } from './receiver-options.js';

/** The options of a receiver, with the defaults filled in. */
export type ReceiverSettings<Request> = ReturnType<typeof readSettings<Request>>;

/** Validates the options, and fills in the defaults. */
export function readSettings<Request>(options: WebhookReceiverOptions<Request>) {
  checkOptions('createWebhookReceiver', options, checks);
  if (isMissing(options.secret))
    createWarnings('MessagingAutomationSecret')('missing', missingSecret(options.secret));
  const { clock = systemClock, dedupe = createMemoryDedupeStore({ clock }) } = options;
  if (options.inOrder !== undefined && (dedupe === false || dedupe.turns === undefined))
    throw new ConfigurationError(
      'createWebhookReceiver: inOrder needs a dedupe store with the part turns, which those of createDedupeStore and ' +
        'createMemoryDedupeStore have. Pass one of them as dedupe.',
    );
  return {
    ...options,
    clock,
    dedupe,
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    deadline: options.deadline ?? 4_500,
    lease: options.lease ?? 30_000,
    maxConcurrent: options.maxConcurrent ?? 1_000,
    ttl: options.rememberFor ?? memoryFor(options.tolerance),
    // biome-ignore lint/suspicious/noConsole: without a hook, a failure must still be visible.
    onError: options.onError ?? ((error: unknown) => console.error(error)),
  };
}

const minute = 60 * 1000;
const week = 7 * 24 * 60 * minute;

/** As long as the replay window accepts a delivery again. Seven days if the window has no limit. */
function memoryFor(tolerance: WebhookReceiverOptions['tolerance'] = {}): number {
  if (tolerance === false) return week;
  const { past = defaultPast, future = defaultFuture } = tolerance;
  return Number.isFinite(past + future) ? Math.max(minute, past + future) : week;
}

// A smaller number is meant as seconds.
const aLongTime = milliseconds(100);

const checks: OptionChecks = {
  secret: [isMaybeSecret, 'a secret, a list of secrets, or a function that returns one'],
  ...unwrapChecks,
  workspaceId: protects(aText),
  maxBodyBytes: [(value) => Number.isFinite(value) && Number(value) >= 1, 'a number of bytes, 1 or more'],
  deadline: aLongTime,
  lease: aLongTime,
  handlerTimeout: milliseconds(1),
  rememberFor: milliseconds(1),
  maxConcurrent: [(value) => typeof value === 'number' && value >= 1, 'a number, 1 or more'],
  dedupe: [
    (value) => value === false || hasMethods('claim', 'renew', 'commit', 'release')(value),
    'a dedupe store, with the methods claim, renew, commit and release, or false',
  ],
  dedupeKey: [aFunction[0], 'a function of the event'],
  inOrder: oneOf('contact'),
  enqueue: aHandler,
  onUnknownEvent: aHandler,
  onSlowHandler: aFunction,
  onHandled: aFunction,
  onDuplicate: aFunction,
  onRefused: aFunction,
  onError: aFunction,
  waitUntil: aFunction,
};

/** Text or bytes, a list of them, or a function. Nothing, too, of which a warning tells. */
function isMaybeSecret(value: unknown): boolean {
  return (
    isMissing(value) ||
    aText[0](value) ||
    aFunction[0](value) ||
    Array.isArray(value) ||
    ArrayBuffer.isView(value)
  );
}

/** Whether there is no secret, or one of several is missing: the receiver cannot verify anything then. */
function isMissing(secret: unknown): boolean {
  if (Array.isArray(secret)) return secret.length === 0 || secret.some(isMissing);
  return secret === undefined || secret === null || secret === '';
}

/** A warning and no error, because some frameworks load a receiver at build time, without secrets. */
function missingSecret(secret: unknown): string {
  const what = Array.isArray(secret) ? 'one of its secrets' : 'a secret';
  return `A webhook receiver was created without ${what}, so it responds to each delivery with 500. Is its environment variable set?`;
}
