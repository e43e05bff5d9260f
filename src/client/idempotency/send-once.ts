import type { SendResult } from '../../contract/transactional.js';
import { isObject } from '../../foundation/is-object.js';
import { type OptionChecks, oneOf, problemsWith } from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import type { KeyValueService } from '../../key-value/key-value-service.js';
import { digest, forEver } from '../../key-value/records.js';
import type { PreparedCall } from '../call/call.js';
import { type Deadline, startDeadline } from '../call/deadline.js';
import type { CallSettings } from '../configuration.js';
import { IdempotencyError, InvalidInputError, TimeoutError } from '../errors/no-response-errors.js';
import { cleanCopy, RequestError } from '../errors/request-error.js';
import type { WithResponse } from '../response/interpret.js';

/** The settings of a client that has a store. */
interface Settings extends CallSettings {
  readonly idempotencyStore: KeyValueService;
}

/** @throws {InvalidInputError} when the client has no store, or the key or the outcome is invalid. */
function settingsFor(
  { idempotencyStore, ...settings }: CallSettings,
  operation: string,
  given: { readonly idempotencyKey: string; readonly outcome?: string },
): Settings {
  const problems = problemsWith(given, checks);
  if (problems.length > 0) throw new InvalidInputError(operation, problems);
  if (idempotencyStore !== undefined) return { ...settings, idempotencyStore };
  const message = "needs the client's option idempotencyStore, which this client does not have";
  throw new InvalidInputError(operation, [{ field: 'idempotencyKey', message }]);
}

/**
 * What a store knows of a key: `sending` until its message is known as sent. A call renews a lease while it makes its requests. Without
 * the lease it has ended, or its process has died or stands still, and the outcome is unknown.
 */
interface SendRecord {
  readonly state: string;
  /** The id of the call that claimed the key. */
  readonly call: string;
  /** A digest of the key, the phone and the template. */
  readonly use: string;
  /** The service's id of the request that sent the message. */
  readonly requestId?: string | undefined;
}

/** In milliseconds. A process that has not renewed its lease for so long is dead, or has stopped. */
const leaseLasts = 30_000;
const renewEvery = 10_000;
/** The waits for another call with the same key: each is twice as long as the one before. In milliseconds. */
const firstPause = 50;
const longestPause = 1_000;
/** How long a call tries to record its outcome, in milliseconds. */
const recordWithin = 10_000;

const warnOnce = createWarnings('MessagingAutomationIdempotency');

/**
 * Makes a call unless its key says that the message was sent.
 *
 * The record of a key is written before the first request, and never expires while its outcome is open. A process that dies in between
 * leaves a record whose lease ends by the store's clock.
 *
 * @param make Makes the requests of the call.
 */
export async function sendOnce(
  key: string,
  prepared: PreparedCall,
  make: () => Promise<WithResponse<SendResult>>,
): Promise<WithResponse<SendResult>> {
  const { deadline } = prepared;
  const operation = prepared.call.operation.name;
  const settings = settingsFor(prepared.settings, operation, { idempotencyKey: key });
  const name = await nameOf(key);
  const { phone, templateId }: Readonly<Record<string, unknown>> = Object(JSON.parse(prepared.body ?? '{}'));
  const mine: SendRecord = {
    state: 'sending',
    call: crypto.randomUUID(),
    use: await digest(JSON.stringify([key, phone, templateId])),
  };
  const claim = claimOf(settings, name, mine);
  const before = await claim.take(deadline, operation, key).catch((thrown: unknown) => {
    void claim.abandon();
    if (thrown instanceof IdempotencyError || thrown instanceof InvalidInputError) throw thrown;
    const isLate = thrown instanceof TimeoutError;
    if (deadline.signal.aborted && !isLate) throw thrown;
    throw storeFailed(settings, operation, isLate ? new Error('no response before the deadline') : thrown);
  });
  if (before !== undefined) {
    return {
      data: { success: true, replayed: true },
      response: { status: 200, headers: new Headers() },
      requestId: before.requestId,
      attempts: 0,
    };
  }
  const stopRenewing = claim.keepLease();
  try {
    const made = await make().finally(stopRenewing);
    await claim.end(made.data.success === true ? 'sent' : 'unknown', made.requestId);
    return made;
  } catch (thrown) {
    const { outcome } = thrown instanceof RequestError ? thrown : prepared.call;
    await claim.end(outcome === 'unknown' ? 'unknown' : 'free');
    throw thrown;
  }
}

/**
 * Ends the unknown outcome of a key.
 *
 * @returns Whether the outcome was unknown.
 */
export async function settleSend(
  given: CallSettings,
  key: string,
  outcome: 'sent' | 'not_sent',
): Promise<boolean> {
  const operation = 'transactional.settle';
  const settings = settingsFor(given, operation, { idempotencyKey: key, outcome: String(outcome) });
  const { clock, timeout, idempotencyStore: store, idempotencyRetention } = settings;
  const name = await nameOf(key);
  const late = () => new Error(`The store did not respond within ${timeout} ms.`);
  const deadline = startDeadline(clock, timeout, undefined, late);
  try {
    // A client that lost its connection may send a command twice: the second one finds what the first one has written.
    for (let written: string | undefined; ; ) {
      const text = (await deadline.bound(store.get(name))) ?? '';
      if (text === written) return true;
      if (text === '') return false;
      const found = recordOf(text);
      if (found.state === 'sent' || (await deadline.bound(isLeased(store, found)))) return false;
      written = outcome === 'sent' ? JSON.stringify({ ...found, state: 'sent' }) : '';
      const writing =
        written === ''
          ? store.deleteIfEqual(name, text)
          : store.replaceIfEqual(name, text, written, idempotencyRetention);
      if ((await deadline.bound(writing)) === true) return true;
    }
  } catch (thrown) {
    throw storeFailed(settings, operation, thrown);
  } finally {
    deadline.dispose();
  }
}

const checks: OptionChecks = {
  idempotencyKey: [
    (value) => typeof value === 'string' && value.length >= 1 && value.length <= 255,
    'a string of 1 to 255 characters',
    'required',
  ],
  outcome: oneOf('sent', 'not_sent'),
};

/** One call's claim of a key. */
function claimOf(settings: Settings, name: string, mine: SendRecord) {
  const { idempotencyStore: store, idempotencyRetention, clock, redact } = settings;
  const sending = JSON.stringify(mine);
  /** The last operation that may still add the record. */
  let claiming: Promise<unknown> = Promise.resolve();

  const lease = async () => store.set(leaseOf(mine), 'alive', leaseLasts);
  const endLease = async () => store.deleteIfEqual(leaseOf(mine), 'alive');

  /**
   * Takes the key, or waits for the call that has it.
   *
   * @returns The record of the message that was sent. `undefined` if the key is this call's now.
   * @throws {IdempotencyError} when the outcome of another call is unknown, or does not come before the deadline.
   */
  async function take(deadline: Deadline, operation: string, key: string): Promise<SendRecord | undefined> {
    await deadline.bound(lease());
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      const adding = store.setIfAbsent(name, sending, forEver);
      claiming = adding;
      if ((await deadline.bound(adding)) === true) return undefined;
      const text = await deadline.bound(store.get(name));
      // A client that lost its connection may send a command twice, and the first one has added the record.
      if (text === sending) return undefined;
      const found = text ? recordOf(text) : undefined;
      if (found !== undefined && found.use !== mine.use) {
        const message = 'was used for another phone or template: each message needs its own key';
        throw new InvalidInputError(operation, [{ field: 'idempotencyKey', message }]);
      }
      if (found?.state === 'sent') return found;
      const named = `${operation} made no request: an earlier call with the idempotency key ${JSON.stringify(redact(key))}`;
      if (found !== undefined && !(await deadline.bound(isLeased(store, found)))) {
        if ((await deadline.bound(store.get(name))) !== text) continue; // its call has recorded the outcome meanwhile
        const message = `${named} may have sent this message, and its outcome is unknown. Find out, and call transactional.settle.`;
        throw failure(operation, 'outcome_unknown', message);
      }
      if (deadline.remaining() <= pause) {
        throw failure(operation, 'in_progress', `${named} is still under way. Call again later.`);
      }
      await deadline.wait(pause, undefined);
    }
  }

  /** Renews the lease until the returned function is called. */
  function keepLease(): () => void {
    let cancel = () => {};
    const renewLater = () => {
      cancel = clock.setTimer(() => {
        lease().catch(() => {}); // the next one may succeed, and a lost lease loses no message
        renewLater();
      }, renewEvery);
    };
    renewLater();
    return () => cancel();
  }

  /** Gives the key back, because nothing was sent: also if the store adds the record later. */
  async function abandon(): Promise<void> {
    try {
      await claiming.catch(() => {});
      await store.deleteIfEqual(name, sending);
      await endLease();
    } catch {
      // The key counts as unknown, because nobody renews the lease.
    }
  }

  /** Records what has become of the message. Never rejects, because the message has its outcome. */
  async function end(outcome: 'sent' | 'unknown' | 'free', requestId?: string): Promise<void> {
    const deadline = startDeadline(
      clock,
      recordWithin,
      undefined,
      () => new Error('The store did not respond.'),
    );
    try {
      for (let pause = firstPause; ; pause *= 2) {
        const recorded = record(outcome, requestId).then(
          () => true,
          () => false,
        );
        if (await deadline.bound(recorded)) return;
        await deadline.wait(pause, undefined);
      }
    } catch {
      warnOnce(
        'store',
        'The outcome of a send could not be recorded in the idempotency store. It counts as unknown: later calls with its key fail until it is settled.',
      );
    } finally {
      deadline.dispose();
    }
  }

  async function record(outcome: 'sent' | 'unknown' | 'free', requestId: string | undefined): Promise<void> {
    if (outcome === 'free') await store.deleteIfEqual(name, sending);
    if (outcome === 'sent') {
      const sent = JSON.stringify({ ...mine, state: 'sent', requestId: requestId?.slice(0, 200) });
      const isSent = await store.replaceIfEqual(name, sending, sent, idempotencyRetention);
      // The key was settled as not sent meanwhile.
      if (!isSent) await store.setIfAbsent(name, sent, idempotencyRetention);
    }
    await endLease();
  }

  return { take, keepLease, abandon, end };
}

async function nameOf(key: string): Promise<string> {
  return `send:${await digest(key)}`;
}

function leaseOf({ call }: SendRecord): string {
  return `lease:${call}`;
}

async function isLeased(store: KeyValueService, record: SendRecord): Promise<boolean> {
  return Boolean(await store.get(leaseOf(record)));
}

function recordOf(text: string): SendRecord {
  const record: unknown = JSON.parse(text);
  if (isObject(record)) {
    const { state, call, use, requestId } = record;
    if (typeof state === 'string' && typeof call === 'string' && typeof use === 'string')
      return { state, call, use, ...(typeof requestId === 'string' && { requestId }) };
  }
  throw new TypeError('The store has a value that is not a record of a send.');
}

function failure(
  operation: string,
  code: 'in_progress' | 'outcome_unknown',
  message: string,
): IdempotencyError {
  const retryable = code === 'in_progress';
  return new IdempotencyError(message, { operation, outcome: 'unknown', retryable, attempts: 0, code });
}

function storeFailed({ redact }: Settings, operation: string, thrown: unknown): IdempotencyError {
  const cause = cleanCopy(thrown, redact);
  return new IdempotencyError(
    `${operation} made no request, because its idempotency store failed (${cause.message}). Nothing was sent. Call again when the store is back.`,
    { operation, outcome: 'not_sent', retryable: true, attempts: 0, code: 'store_failed', cause },
  );
}
