import type { Redact } from '../../contract/redaction.js';
import {
  aSignal,
  aWholeNumber,
  ConfigurationError,
  type OptionChecks,
  oneOf,
  problemsWith,
  required,
} from '../../foundation/options.js';
import { steersFramework } from '../../foundation/steering.js';
import type { KeyValueEntry, KeyValueService } from '../../key-value/key-value-service.js';
import { Deadline } from '../call/deadline.js';
import { type CallSettings, defaultIdempotencyRetention } from '../configuration.js';
import { IdempotencyError, InvalidInputError, NotConfiguredError } from '../errors/no-response-errors.js';
import { anIdempotencyKey, aTimeout } from '../request/request-options.js';
import { causeOf, reasonOf, refuseOtherUse, storeOf } from './key-errors.js';
import {
  type KeyedOperation,
  type KeyRecord,
  keyedSend,
  keyedTrack,
  leaseName,
  openRecordPrefix,
  recordName,
  recordOf,
  sentRecord,
  textOf,
} from './key-record.js';

/** An idempotency key whose outcome is unknown, from `unsettled()`. */
export interface UnsettledKey {
  /**
   * The whole key, for `settle`. It may contain a phone number: be careful where you log it. `undefined`, like `about` and the fields after
   * it, if a process of version 0.2.0 took the key, because it recorded only digests. Settle it by the key that your program used.
   */
  readonly idempotencyKey: string | undefined;
  /** Which operation may have been carried out. */
  readonly operation: 'transactional.send' | 'events.track';
  /** The id of the template, or the name of the event. */
  readonly about: string | undefined;
  /** The phone of the contact, masked, or its id. */
  readonly contact: string | undefined;
  /** When the call took the key, in milliseconds since the Unix epoch, by the clock of its process. */
  readonly since: number | undefined;
  /** The base URL of the deployment. */
  readonly baseUrl: string | undefined;
}

/** Options of `unsettled()`. */
export interface UnsettledOptions {
  /** The most keys to return. Default: 1,000. */
  readonly limit?: number | undefined;
  /** The deadline in milliseconds. A store with millions of records takes longer. Default: the client's `timeout`. */
  readonly timeout?: number | undefined;
  /** Aborts the search. The promise then rejects with the reason of this signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits for the store at most until the deadline of {@link Deadline}. Default: as long as the store takes. */
type Bound = <T>(work: Promise<T>) => Promise<T>;

const unbounded: Bound = (work) => work;

/** Which unsettled keys to look for. */
export interface UnsettledSearch {
  readonly limit: number;
  /** Default: both. */
  readonly operation?: UnsettledKey['operation'] | undefined;
  /** Leaves out the keys of other deployments. Default: those of all. */
  readonly baseUrl?: string | undefined;
  readonly bound?: Bound;
}

/**
 * The keys of a store whose outcome is unknown, the oldest first. A key whose call is under way is not among them.
 *
 * @throws {ConfigurationError} when the store cannot list its keys.
 */
export async function unsettledKeys(
  store: KeyValueService,
  search: UnsettledSearch,
): Promise<readonly UnsettledKey[]> {
  const { limit, operation, baseUrl, bound = unbounded } = search;
  const found = new Map<string, UnsettledKey>();
  for (const { name, namespace } of keyedOperations) {
    if (operation !== undefined && operation !== name) continue;
    const entries = listOf(store, `${namespace}:`)[Symbol.asyncIterator]();
    try {
      while (found.size < limit) {
        const { done, value: entry } = await bound(entries.next());
        if (done) break;
        const record = recordOf(entry.value);
        const isOther = baseUrl !== undefined && record.baseUrl !== undefined && record.baseUrl !== baseUrl;
        if (isOther || (await bound(store.get(leaseName(record))))) continue;
        found.set(entry.key, unsettledKey(name, record));
      }
    } finally {
      void entries.return?.(undefined).catch(() => {}); // closes what the store reads with, however the search ends
    }
  }
  return [...found.values()].toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0));
}

function listOf(store: KeyValueService, keyPrefix: string): AsyncIterable<KeyValueEntry> {
  if (store.list !== undefined) return store.list(keyPrefix, openRecordPrefix);
  throw new ConfigurationError('it has no operation list, so its keys can only be settled by name');
}

function unsettledKey(operation: UnsettledKey['operation'], { unsettled, baseUrl }: KeyRecord): UnsettledKey {
  const { key, about, contact, since } = unsettled ?? {};
  return { idempotencyKey: key, operation, about, contact, since, baseUrl };
}

/** How a key is settled. */
export interface Settlement {
  readonly operation: UnsettledKey['operation'];
  readonly idempotencyKey: string;
  readonly outcome: 'sent' | 'not_sent';
  /** How long a key that is settled as sent stays known, in milliseconds. Default: as long as a client keeps it by default. */
  readonly retention?: number | undefined;
  /** Refuses a key of another deployment. Default: a key of any deployment is settled. */
  readonly baseUrl?: string | undefined;
  readonly bound?: Bound;
}

/**
 * Ends the unknown outcome of a key.
 *
 * @returns Whether the outcome was unknown. Otherwise nothing has changed.
 * @throws {InvalidInputError} when the key is of another deployment.
 */
export async function settleKey(store: KeyValueService, settlement: Settlement): Promise<boolean> {
  const { idempotencyKey, outcome, baseUrl, bound = unbounded } = settlement;
  const { retention = defaultIdempotencyRetention } = settlement;
  const operation = keyedOperation(settlement.operation);
  const name = await recordName(operation, idempotencyKey);
  let judged: string | undefined; // the call that is settled: a later one with the key is not
  // A client that lost its connection may send a command twice: the second one finds what the first one has written.
  for (let written: string | undefined; ; ) {
    const text = (await bound(store.get(name))) ?? '';
    if (text === written) return true;
    if (text === '') return false;
    const found = recordOf(text);
    judged ??= found.call;
    if (found.call !== judged) return false;
    if (baseUrl !== undefined)
      refuseOtherUse({ ...operation, name: `${operation.resource}.settle` }, found, { baseUrl });
    if (found.state === 'sent' || (await bound(store.get(leaseName(found))))) return false;
    written = outcome === 'sent' ? textOf(sentRecord(found)) : '';
    const writing =
      written === '' ? store.deleteIfEqual(name, text) : store.replaceIfEqual(name, text, written, retention);
    if ((await bound(writing)) === true) return true;
  }
}

/** Whether the outcome of a key is unknown. */
export async function isUnsettled(
  store: KeyValueService,
  operation: UnsettledKey['operation'],
  idempotencyKey: string,
): Promise<boolean> {
  const text = (await store.get(await recordName(keyedOperation(operation), idempotencyKey))) ?? '';
  if (text === '') return false;
  const found = recordOf(text);
  return found.state !== 'sent' && !(await store.get(leaseName(found)));
}

const keyedOperations: readonly KeyedOperation[] = [keyedSend, keyedTrack];

function keyedOperation(name: UnsettledKey['operation']): KeyedOperation {
  return name === keyedSend.name ? keyedSend : keyedTrack;
}

/**
 * `settle` of a client's resource.
 *
 * @throws {InvalidInputError} when the client has no store, or the key or the outcome is invalid.
 * @throws {IdempotencyError} when the store failed.
 */
export function settleForClient(
  settings: CallSettings,
  operation: UnsettledKey['operation'],
  idempotencyKey: string,
  outcome: 'sent' | 'not_sent',
): Promise<boolean> {
  const { baseUrl, idempotencyRetention: retention } = settings;
  const question: Question = {
    name: `${keyedOperation(operation).resource}.settle`,
    given: { idempotencyKey, outcome },
    checks: { idempotencyKey: required(anIdempotencyKey), outcome: required(oneOf('sent', 'not_sent')) },
    options: {},
  };
  return askStore(settings, question, (store, bound) =>
    settleKey(store, { operation, idempotencyKey, outcome, retention, baseUrl, bound }),
  );
}

/**
 * `unsettled` of a client's resource.
 *
 * @throws {InvalidInputError} when the client has no store, or an option is invalid.
 * @throws {IdempotencyError} when the store failed, or cannot list its keys.
 */
export function unsettledForClient(
  settings: CallSettings,
  operation: UnsettledKey['operation'],
  options: UnsettledOptions,
): Promise<readonly UnsettledKey[]> {
  const { baseUrl } = settings;
  const { limit = 1_000 } = Object(options);
  const question: Question = {
    name: `${keyedOperation(operation).resource}.unsettled`,
    given: options,
    checks: { limit: aWholeNumber(1), timeout: aTimeout, signal: aSignal },
    options,
  };
  return askStore(settings, question, (store, bound) =>
    unsettledKeys(store, { limit, operation, baseUrl, bound }),
  );
}

/** A question to the store of a client. */
interface Question {
  readonly name: string;
  readonly given: unknown;
  readonly checks: OptionChecks;
  readonly options: Pick<UnsettledOptions, 'timeout' | 'signal'>;
}

/** Asks the store within a deadline. A store that fails is an error that speaks of no request, because none was made or will be. */
async function askStore<Result>(
  settings: CallSettings,
  { name, given, checks, options }: Question,
  ask: (store: KeyValueService, bound: Bound) => Promise<Result>,
): Promise<Result> {
  const { clock, missing, redact } = settings;
  if (missing !== undefined) throw new NotConfiguredError(name, missing);
  const problems = problemsWith(given, checks);
  if (problems.length > 0) throw new InvalidInputError(name, problems);
  const store = storeOf(settings, name);
  const { signal, timeout = settings.timeout } = options;
  signal?.throwIfAborted();
  const late = () => new Error(`no response within ${timeout} ms`);
  const deadline = new Deadline({ clock, timeout, signal, expired: late });
  try {
    return await ask(store, (work) => deadline.bound(work));
  } catch (thrown) {
    if (thrown instanceof InvalidInputError || signal?.aborted || steersFramework(thrown)) throw thrown;
    throw storeFailedFor(name, thrown, redact);
  } finally {
    deadline.dispose();
  }
}

function storeFailedFor(operation: string, thrown: unknown, redact: Redact): IdempotencyError {
  const { cause, isLasting } = causeOf(thrown, redact);
  const remedy = isLasting ? 'Calling again does not help.' : 'Call again: that changes nothing twice.';
  const message = `${operation} does not know the state of the idempotency store, which failed (${reasonOf(cause)}). ${remedy}`;
  const facts = { operation, outcome: 'unknown', retryable: !isLasting, attempts: 0 } as const;
  return new IdempotencyError(message, { ...facts, code: 'store_failed', cause });
}
