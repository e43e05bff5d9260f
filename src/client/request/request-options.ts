import { longestDelay } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import {
  aSignal,
  aWholeNumber,
  type FieldProblem,
  type OptionCheck,
  type OptionChecks,
  problemsWith,
  protects,
  trueOrFalse,
} from '../../foundation/options.js';
import { problemWithHeaders } from './headers.js';

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call. The call then rejects with the reason of this signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /** The deadline of this call in milliseconds. Default: the client's `timeout`. */
  readonly timeout?: number | undefined;
  /** How many times the client may retry this call. 0 means one request. Default: the client's `retries`. */
  readonly retries?: number | undefined;
  /** Headers of this call. They override the client's `headers`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of `transactional.send`. */
export interface SendOptions extends RequestOptions {
  /**
   * Names the message, such as `order-1001-shipped`, so that it is sent once: however often, and in however many processes,
   * you send with this key. 1 to 255 characters. Needs the client's option `idempotencyStore`. A client with a store refuses
   * `undefined`. Default: none; each call sends.
   */
  readonly idempotencyKey?: string;
}

/** Options of `events.track`. */
export interface TrackOptions extends RequestOptions {
  /**
   * Names the event, such as `order-1001-placed`, so that it is tracked once: however often, and in however many processes, you track it
   * with this key. 1 to 255 characters. Needs the client's option `idempotencyStore`. A message and an event may have the same key.
   * A client with a store refuses `undefined`. Default: none; each call tracks.
   */
  readonly idempotencyKey?: string;
}

/** Further options with which a bulk run paces its calls itself. */
export interface CallOptions extends RequestOptions {
  /** Whether the call waits and retries after a 429. Default: true. */
  readonly retryRateLimits?: boolean | undefined;
  /**
   * When it aborts, the call makes no further attempt and stops waiting for one: it rejects with its last failure. An
   * attempt in flight continues.
   */
  readonly noMoreAttempts?: AbortSignal | undefined;
}

/** What an idempotency key must be. */
export const anIdempotencyKey: OptionCheck = [
  (value) => typeof value === 'string' && value.length >= 1 && value.length <= 255,
  'a string of 1 to 255 characters',
];

/** The deadline of a call. */
export const aTimeout: OptionCheck = [
  (value) => Number.isFinite(value) && Number(value) > 0 && Number(value) <= longestDelay,
  `a number of milliseconds above 0 and not above ${longestDelay}`,
];

/** A `Headers` object and a `Map` have their entries where nobody would find them. */
export const someHeaders: OptionCheck = [
  (value) => isObject(value) && !(Symbol.iterator in value),
  'an object with a string for each name',
];

/** What every call takes. */
export const requestChecks: OptionChecks = {
  signal: aSignal,
  timeout: aTimeout,
  retries: aWholeNumber(0),
  headers: someHeaders,
};

const callChecks: OptionChecks = {
  ...requestChecks,
  retryRateLimits: trueOrFalse,
  noMoreAttempts: aSignal,
};

/** The option that names what a call does. If the client has a store, it is meant: `undefined` is then no way to leave it out. */
export function keyChecks(
  settings: { readonly idempotencyStore?: unknown },
  check: OptionCheck,
): OptionChecks {
  return { idempotencyKey: settings.idempotencyStore === undefined ? check : protects(check) };
}

/** Checks the options of a call, among them those that only this call has. */
export function problemsWithOptions(options: unknown, own: OptionChecks = {}): readonly FieldProblem[] {
  return [...problemsWith(options, { ...callChecks, ...own }), ...problemsWithHeaders(options)];
}

/** What is wrong with the headers among some options. */
export function problemsWithHeaders(options: unknown): readonly FieldProblem[] {
  const headers: unknown = Reflect.get(Object(options), 'headers');
  const problem = isObject(headers) && problemWithHeaders(headers);
  return problem ? [problem] : [];
}

const namesOfOptions = new Set([...Object.keys(requestChecks), 'idempotencyKey'].map(plain));

/** The options that a message holds instead of its call, however they are spelt: the service would ignore them. */
export function optionsWithin(input: unknown): readonly FieldProblem[] {
  return Object.keys(Object(input))
    .filter((name) => namesOfOptions.has(plain(name)))
    .map((field) => ({ field, message: 'is an option of the call: pass it in the argument after this one' }));
}

function plain(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
