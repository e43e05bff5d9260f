import { describeErrorClasses, MessagingAutomationError } from '../../foundation/base-error.js';
import { type FieldProblem, listProblems } from '../../foundation/options.js';
import { describeOutcome, RequestError, type RequestErrorFacts } from './request-error.js';

/**
 * The input of a call is invalid. The client checks it before it sends anything. `problems` names each field and what
 * it must be.
 *
 * @example
 * ```ts
 * import { InvalidInputError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.upsert({ phone: '555 1234' });
 * } catch (error) {
 *   if (!(error instanceof InvalidInputError)) throw error;
 *   for (const problem of error.problems) console.error(problem.field, problem.message);
 * }
 * ```
 */
export class InvalidInputError extends RequestError {
  /** What is wrong with the input, field by field. */
  readonly problems: readonly FieldProblem[];

  constructor(operation: string, problems: readonly FieldProblem[], cause?: unknown) {
    super(`${operation} was not sent: ${listProblems(problems, 'the input')}.`, {
      operation,
      outcome: 'not_sent',
      retryable: false,
      attempts: 0,
      cause,
    });
    this.problems = problems;
  }
}

/**
 * Reject with this error in your own {@link Transport} when the request has certainly not left the machine. The client
 * then retries it, if retries remain, even if the operation is not safe to repeat. Callers do not see this error: they
 * get a `ConnectionError` whose `outcome` is `not_sent`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, NotSentError, type Transport } from 'messaging-automation';
 *
 * const offline: Transport = {
 *   exchange: () => Promise.reject(new NotSentError(new Error('There is no network.'))),
 * };
 * const messaging = new MessagingAutomation({ transport: offline, retries: 0 });
 * await messaging.templates.list().catch((error) => console.log(error.outcome)); // not_sent
 * ```
 */
export class NotSentError extends MessagingAutomationError {
  /** @param cause Why the request was not sent. */
  constructor(cause: unknown) {
    super('The request was not sent.', { cause });
  }
}

/**
 * The client received no response, or only a part of it: it could not reach the service, or lost the connection.
 *
 * `outcome` is `not_sent` if the request certainly did not leave (connection refused, host name not found), else
 * `unknown`. `code` is the code of the connection failure, such as `ECONNREFUSED`, if the runtime reports one.
 *
 * @example
 * ```ts
 * import { ConnectionError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:2/api', retries: 0 });
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof ConnectionError)) throw error;
 *   console.error(error.code, error.outcome);
 * }
 * ```
 */
export class ConnectionError extends RequestError {}

/**
 * The deadline of the call passed. The deadline is the option `timeout`. It covers the client's guards, connecting, response
 * headers and body, every attempt, and the waits between attempts.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, TimeoutError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.templates.list({ timeout: 1 });
 * } catch (error) {
 *   if (!(error instanceof TimeoutError)) throw error;
 *   console.error(error.operation, error.attempts);
 * }
 * ```
 */
export class TimeoutError extends RequestError {}

/**
 * One of your middleware functions threw, or broke the rules of {@link Middleware}. The client does not retry the call.
 *
 * `outcome` is `not_sent` if the middleware had not called `next`; otherwise it follows from the response, or from its
 * absence. `cause` is a copy of the thrown error: its name, message and stack, with keys and phone numbers redacted.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, MiddlewareError } from 'messaging-automation';
 *
 * const readOnly = new MessagingAutomation({
 *   middleware: [
 *     (request, next) => {
 *       if (request.method !== 'GET') throw new Error('This process only reads.');
 *       return next(request);
 *     },
 *   ],
 * });
 * try {
 *   await readOnly.contacts.upsert({ phone: '+15551234567' });
 * } catch (error) {
 *   if (!(error instanceof MiddlewareError)) throw error;
 *   console.error(error.outcome, error.cause); // not_sent, Error: This process only reads.
 * }
 * ```
 */
export class MiddlewareError extends RequestError {}

/**
 * The function that you passed as `apiKey` threw, or returned an invalid key. `cause` has the reason. The client sent
 * no request with that key.
 *
 * @example
 * ```ts
 * import { ApiKeyUnavailableError, MessagingAutomation } from 'messaging-automation';
 *
 * const apiKey = () => Promise.reject(new Error('The vault is sealed.'));
 * const messaging = new MessagingAutomation({ apiKey, baseUrl: 'https://messaging.example.com/api' });
 * await messaging.templates.list().catch((error) => {
 *   if (error instanceof ApiKeyUnavailableError) console.error(error.outcome); // not_sent
 * });
 * ```
 */
export class ApiKeyUnavailableError extends RequestError {
  /** @internal */
  constructor(
    facts: Pick<RequestErrorFacts, 'operation' | 'outcome' | 'retryable' | 'attempts'>,
    cause: Error,
  ) {
    const message = `${facts.operation} has no API key: apiKey() failed (${cause.message}).`;
    super(`${message} This attempt was not sent.`, { ...facts, cause });
  }
}

/**
 * The client has no API key or no base URL: neither its options nor the environment had them when it was created, nor at this call, which
 * reads the environment again. Nothing was sent.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, NotConfiguredError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation(); // also where `next build` or a Docker build has no environment
 * try {
 *   await messaging.templates.list();
 * } catch (error) {
 *   if (!(error instanceof NotConfiguredError)) throw error;
 *   console.error(error.message, error.outcome); // …, not_sent
 * }
 * ```
 */
export class NotConfiguredError extends RequestError {
  /** @internal */
  constructor(operation: string, missing: string) {
    super(`${operation} was not sent. ${missing}`, {
      operation,
      outcome: 'not_sent',
      retryable: false,
      attempts: 0,
    });
  }
}

/** The fields of an {@link IdempotencyError}, to construct one in your tests. */
export type IdempotencyErrorFacts = RequestErrorFacts & {
  readonly code: IdempotencyError['code'];
  /** The key of the call. Default: none. */
  readonly idempotencyKey?: string | undefined;
};

/**
 * A call with an `idempotencyKey` made no request, because of what its store says or because the store failed.
 *
 * `code` says which:
 *
 * - `outcome_unknown`: an earlier call with this key may have been carried out. `outcome` is `unknown`. Find out, and end it with
 *   `settle` of the resource. Until then every call with this key fails like this. The earlier call failed with an error of its own, whose
 *   `outcome` is `unknown`, too.
 * - `in_progress`: another call with this key is under way. `outcome` is `unknown`, and calling again later is safe: nothing is carried out
 *   twice.
 * - `key_lost`: the key may have been settled while this call waited longer than its lease, or its record is lost. Calling again is safe.
 * - `store_failed`: the store could not be asked, did not respond before the deadline, or has something else under the key. `outcome` is
 *   `not_sent`. `retryable` is false if calling again cannot help, such as without its table. `cause` has its error. From `settle` and
 *   `unsettled`, `outcome` is `unknown`: they do not know what the store has.
 *
 * @example
 * ```ts
 * import { createMemoryKeyValueStore, IdempotencyError, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ idempotencyStore: createMemoryKeyValueStore() });
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * const message = { phone: '+15551234567', templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };
 * try {
 *   await messaging.transactional.send(message, { idempotencyKey: 'order-1001-shipped' });
 * } catch (error) {
 *   if (!(error instanceof IdempotencyError) || error.code !== 'outcome_unknown') throw error;
 *   console.error('Find out whether the message has arrived, and settle', error.idempotencyKey);
 * }
 * ```
 */
export class IdempotencyError extends RequestError {
  /** The reason, for code. */
  declare readonly code: 'outcome_unknown' | 'in_progress' | 'key_lost' | 'store_failed';
  readonly #idempotencyKey: string | undefined;

  constructor(message: string, facts: IdempotencyErrorFacts) {
    super(message, facts);
    this.#idempotencyKey = facts.idempotencyKey;
  }

  /**
   * The whole key of the call, as you gave it, for `settle`. Printing the error and `toJSON()` leave it out, because a key may contain a
   * phone number. `undefined` for an error of `settle` or `unsettled`.
   */
  get idempotencyKey(): string | undefined {
    return this.#idempotencyKey;
  }
}

/**
 * One of the client's `guards` held a message back: for example, its contact has opted out. Nothing was sent. Send the
 * message again only if the reason ends, such as quiet hours. With an `idempotencyKey`, the key is free.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, onlyTo, SendBlockedError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ guards: [onlyTo([])] });
 * try {
 *   await messaging.transactional.send({ phone: '+15551234567', templateId: 'order_update' });
 * } catch (error) {
 *   if (!(error instanceof SendBlockedError)) throw error;
 *   console.log(error.reason); // the phone is not in the list of onlyTo
 * }
 * ```
 */
export class SendBlockedError extends RequestError {
  /** What the guard returned, with keys and phone numbers redacted. At most 200 characters. */
  readonly reason: string;

  /**
   * @param facts What earlier requests of the call came to, such as one that got a 429. Default: there was none.
   */
  constructor(
    operation: string,
    reason: string,
    facts: Partial<Pick<RequestErrorFacts, 'outcome' | 'attempts'>> = {},
  ) {
    const { outcome = 'not_sent', attempts = 0 } = facts;
    const became = describeOutcome({ outcome, retryable: false });
    const message = `${operation} was held back by a guard (${reason}). ${became}`;
    super(message, { operation, outcome, retryable: false, attempts });
    this.reason = reason;
  }
}

/**
 * One of the client's `guards` threw, or returned neither a reason nor `undefined`. Nothing was sent. A guard that does not respond before
 * the deadline is a {@link TimeoutError}. `cause` is a copy of the thrown error, with keys and phone numbers redacted.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type SendGuard, SendGuardError } from 'messaging-automation';
 *
 * const failing: SendGuard = { check: () => Promise.reject(new Error('The list is down.')) };
 * const messaging = new MessagingAutomation({ guards: [failing] });
 * try {
 *   await messaging.transactional.send({ phone: '+15551234567', templateId: 'order_update' });
 * } catch (error) {
 *   if (!(error instanceof SendGuardError)) throw error;
 *   console.error(error.outcome, error.cause); // not_sent, Error: The list is down.
 * }
 * ```
 */
export class SendGuardError extends RequestError {}

describeErrorClasses({
  InvalidInputError,
  NotConfiguredError,
  IdempotencyError,
  SendBlockedError,
  SendGuardError,
  NotSentError,
  ConnectionError,
  TimeoutError,
  MiddlewareError,
  ApiKeyUnavailableError,
});
