import { isConfirmed } from '../../contract/operation.js';
import { createWarnings } from '../../foundation/runtime.js';
import { steersFramework } from '../../foundation/steering.js';
import type { KeyValueService } from '../../key-value/key-value-service.js';
import { digest } from '../../key-value/records.js';
import type { ReadyCall } from '../call/plan.js';
import type { Step } from '../call/step.js';
import { stoppedError } from '../call/steps.js';
import { TimeoutError } from '../errors/no-response-errors.js';
import { RequestError } from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import type { WithResponse } from '../response/interpret.js';
import { KeyClaim, type KeyOutcome } from './claim.js';
import { KeyErrors, refuseOtherUse, storeOf } from './key-errors.js';
import { type KeyedOperation, type KeyRecord, leaseName, recordName, recordOf } from './key-record.js';

/** The waits for another call with the same key: each is twice as long as the one before. In milliseconds. */
const firstPause = 50;
const longestPause = 1_000;

const warnOnce = createWarnings('MessagingAutomationIdempotency');

/**
 * Makes a call once for its key: it takes the key, makes its requests, and records what has become of them. A call whose key says that the
 * request was carried out makes none.
 *
 * The record of a key is written before the first request, and never expires while its outcome is open. A process that dies in between
 * leaves a record whose lease ends by the store's clock.
 */
export async function callOnce<Result>(
  key: string,
  operation: KeyedOperation<Result>,
  ready: ReadyCall<Result>,
): Promise<WithResponse<Result>> {
  const keyed = await keyedCall(key, operation, ready);
  const earlier = await takeOrWait(keyed).catch((thrown: unknown) => {
    void keyed.claim.end('free');
    throw errorOfStore(keyed, thrown);
  });
  if (earlier !== undefined) return replayOf(operation, earlier);
  keyed.claim.keep();
  return requestAndRecord(keyed);
}

/** A call, and what belongs to its key. */
interface KeyedCall<Result> {
  readonly operation: KeyedOperation<Result>;
  readonly ready: ReadyCall<Result>;
  readonly store: KeyValueService;
  /** The name of the record of the key. */
  readonly name: string;
  /** The record of this call. */
  readonly record: KeyRecord;
  readonly claim: KeyClaim;
  readonly errors: KeyErrors;
}

async function keyedCall<Result>(
  key: string,
  operation: KeyedOperation<Result>,
  ready: ReadyCall<Result>,
): Promise<KeyedCall<Result>> {
  const { settings, deadline, call } = ready;
  const { clock, idempotencyRetention: retention } = settings;
  const store = storeOf(settings, operation.name);
  const name = await recordName(operation, key);
  const record = await newRecord(key, operation, ready);
  const claim = new KeyClaim({ store, clock, deadline, retention, name, record });
  return {
    operation,
    ready,
    store,
    name,
    record,
    claim,
    errors: new KeyErrors(key, operation, settings, call),
  };
}

/** The open record of a call. It has what a person needs to settle the key if nobody comes to know the outcome. */
async function newRecord<Result>(
  key: string,
  operation: KeyedOperation<Result>,
  { settings, body = '{}' }: ReadyCall<Result>,
): Promise<KeyRecord> {
  const { about, contact } = operation.subjectOf(Object(JSON.parse(body)));
  return {
    state: 'sending',
    call: crypto.randomUUID(),
    use: await digest(JSON.stringify([key, contact, about])),
    baseUrl: settings.baseUrl,
    unsettled: {
      key,
      about: about.slice(0, 200),
      contact: settings.redact(contact).slice(0, 200),
      since: settings.clock.now(),
    },
  };
}

/**
 * Takes the key, or waits for the call that has it.
 *
 * @returns The record of the request that was carried out; `undefined` if the key is this call's now.
 * @throws {IdempotencyError} when the outcome of another call is unknown, or does not come before the deadline.
 */
async function takeOrWait(keyed: KeyedCall<unknown>): Promise<KeyRecord | undefined> {
  const { operation, record, claim, errors } = keyed;
  const { call, deadline, noMoreAttempts } = keyed.ready;
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const taken = await claim.take();
    if (taken === 'taken') return undefined;
    if (taken !== 'gone') {
      const found = recordOf(taken.text);
      refuseOtherUse(operation, found, record);
      if (found.state === 'sent') return found;
      if (await isAbandoned(keyed, found, taken.text)) throw errors.unknownOutcome();
    }
    if (deadline.remaining() <= pause) throw errors.inProgress();
    await deadline.wait(pause, noMoreAttempts);
    if (noMoreAttempts?.aborted) throw stoppedError(call);
  }
}

/** Whether the call that has the key has ended without knowing its outcome, or its process has died or is paused. */
async function isAbandoned(
  { store, name, ready }: KeyedCall<unknown>,
  found: KeyRecord,
  text: string,
): Promise<boolean> {
  const { deadline } = ready;
  if (await deadline.bound(store.get(leaseName(found)))) return false;
  // A call that has just recorded its outcome has no lease either.
  return (await deadline.bound(store.get(name))) === text;
}

/** The error of a call whose store did not let it make a request. */
function errorOfStore({ ready, errors }: KeyedCall<unknown>, thrown: unknown): unknown {
  if (thrown instanceof TimeoutError) return errors.storeFailed(new Error('no response before the deadline'));
  if (thrown instanceof RequestError || steersFramework(thrown)) return thrown;
  return ready.deadline.signal.aborted ? thrown : errors.storeFailed(thrown);
}

function replayOf<Result>(
  { replay }: KeyedOperation<Result>,
  { requestId }: KeyRecord,
): WithResponse<Result> {
  return { data: replay, response: { status: 200, headers: new Headers() }, requestId, attempts: 0 };
}

/** Makes the requests of a call that has its key, and records what has become of them. */
async function requestAndRecord<Result>(keyed: KeyedCall<Result>): Promise<WithResponse<Result>> {
  const { ready } = keyed;
  const { call } = ready;
  // True for good if the confirmation fails or hangs: the deadline then ends the call before this step can say what it waited for.
  let isConfirming = false;
  const confirmKey: Step = async (request, passOn) => {
    isConfirming = true;
    await confirm(keyed);
    isConfirming = false;
    return passOn({ ...request, onSending: () => refuseAfterPause(keyed) });
  };
  const made = await ready.makeRequests(confirmKey).catch(async (thrown: unknown) => {
    await recordEnd(keyed, call.outcome === 'unknown' ? 'unknown' : 'free');
    throw isConfirming && thrown instanceof TimeoutError ? errorOfStore(keyed, thrown) : thrown;
  });
  await recordEnd(keyed, keyOutcomeOf(call, made.data), made.requestId);
  return made;
}

/**
 * The last look before the first byte: a transport may load its code or wait for a connection after the confirmation.
 *
 * @throws {IdempotencyError} when the process was paused meanwhile, and the key may be settled.
 */
function refuseAfterPause({ claim, errors }: KeyedCall<unknown>): void {
  if (!claim.isHeld()) throw errors.keyLost();
}

/** What a success says of the key. It may come from a middleware: without a request, or after one that the service rejected. */
function keyOutcomeOf({ operation, outcome }: CallState, data: unknown): KeyOutcome {
  if (outcome !== 'unknown') return 'free';
  return isConfirmed(operation, data) ? 'sent' : 'unknown';
}

/** @throws {IdempotencyError} when the key is not this call's any longer, or the store does not say. */
async function confirm({ claim, ready, errors }: KeyedCall<unknown>): Promise<void> {
  const isOwn = await claim.confirm().catch((thrown: unknown) => {
    ready.deadline.signal.throwIfAborted();
    throw steersFramework(thrown) ? thrown : errors.storeFailed(thrown);
  });
  if (!isOwn) throw errors.keyLost();
}

/**
 * Records the outcome, which the call knows. It waits for the store until its deadline, or until its caller aborts it, which rejects. The
 * record is made behind it then.
 */
async function recordEnd(
  { claim, operation, ready }: KeyedCall<unknown>,
  outcome: KeyOutcome,
  requestId?: string,
): Promise<void> {
  const recording = claim.end(outcome, requestId).then((isRecorded) => {
    if (isRecorded) return;
    warnOnce(
      'store',
      `The outcome of ${operation.name} could not be recorded in the idempotency store. It counts as unknown: later calls with its key fail until it is settled.`,
    );
  });
  await ready.deadline.bound(recording).catch((reason: unknown) => {
    if (!(reason instanceof TimeoutError)) throw reason;
  });
}
