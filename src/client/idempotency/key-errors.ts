import type { Redact } from '../../contract/redaction.js';
import { ConfigurationError } from '../../foundation/options.js';
import type { KeyValueService } from '../../key-value/key-value-service.js';
import type { CallSettings } from '../configuration.js';
import { IdempotencyError, InvalidInputError } from '../errors/no-response-errors.js';
import { type CallFacts, cleanCopy, describeOutcome, factsOf, noRequest } from '../errors/request-error.js';
import type { CallState } from '../request/request.js';
import type { KeyedOperation, KeyRecord } from './key-record.js';

/**
 * The store of a client, for an operation that names keys.
 *
 * @throws {InvalidInputError} when the client has no store.
 */
export function storeOf({ idempotencyStore }: CallSettings, operation: string): KeyValueService {
  if (idempotencyStore !== undefined) return idempotencyStore;
  const message = "needs the client's option idempotencyStore, which this client does not have";
  throw new InvalidInputError(operation, [{ field: 'idempotencyKey', message }]);
}

/**
 * @throws {InvalidInputError} when the record of a key is about another deployment, another contact or another content.
 */
export function refuseOtherUse(
  operation: Pick<KeyedOperation, 'standsFor' | 'noun'> & { readonly name: string },
  found: KeyRecord,
  wanted: Pick<KeyRecord, 'baseUrl'> & Partial<Pick<KeyRecord, 'use'>>,
): void {
  const isOfOtherDeployment = found.baseUrl !== undefined && found.baseUrl !== wanted.baseUrl;
  const isOfOtherUse = wanted.use !== undefined && found.use !== wanted.use;
  if (!isOfOtherDeployment && !isOfOtherUse) return;
  const message = isOfOtherDeployment
    ? 'was used with another base URL: give the store of each deployment its own prefix or table'
    : `was used for another ${operation.standsFor}: each ${operation.noun} needs its own key`;
  throw new InvalidInputError(operation.name, [{ field: 'idempotencyKey', message }]);
}

/** The errors of one call with a key. */
export class KeyErrors {
  readonly #key: string;
  readonly #operation: KeyedOperation;
  readonly #settings: CallSettings;
  readonly #call: CallState;

  constructor(key: string, operation: KeyedOperation, settings: CallSettings, call: CallState) {
    this.#key = key;
    this.#operation = operation;
    this.#settings = settings;
    this.#call = call;
  }

  unknownOutcome(): IdempotencyError {
    const { noun, resource } = this.#operation;
    const remedy = `Find out, and call ${resource}.settle with the idempotencyKey of this error.`;
    const message = `${this.#earlierCall()} may have sent this ${noun}, and its outcome is unknown. ${remedy}`;
    return this.#error('outcome_unknown', message, { outcome: 'unknown', retryable: false });
  }

  inProgress(): IdempotencyError {
    const message = `${this.#earlierCall()} is still under way. Call again later.`;
    return this.#error('in_progress', message, { outcome: 'unknown', retryable: true });
  }

  keyLost(): IdempotencyError {
    const message =
      `${this.#operation.name} ${noRequest(this.#call)}, because its idempotency key ${this.#shownKey()} may have been settled while it waited, ` +
      'or its record is lost. Call again.';
    return this.#error('key_lost', message, { outcome: this.#call.outcome, retryable: true });
  }

  /** @param thrown What the store rejected with. */
  storeFailed(thrown: unknown): IdempotencyError {
    const { outcome } = this.#call;
    const { cause, isLasting } = causeOf(thrown, this.#settings.redact);
    const remedy = isLasting ? 'Calling again does not help.' : 'Call again when the store is back.';
    const message =
      `${this.#operation.name} ${noRequest(this.#call)}, because its idempotency store failed (${reasonOf(cause)}). ` +
      `${describeOutcome({ outcome, retryable: false })} ${remedy}`;
    return this.#error('store_failed', message, { outcome, retryable: !isLasting, cause });
  }

  #earlierCall(): string {
    return `${this.#operation.name} made no request: an earlier call with the idempotency key ${this.#shownKey()}`;
  }

  /** A key may hold a phone, which no message shows. The error has the whole key in a field. */
  #shownKey(): string {
    return JSON.stringify(this.#settings.redact(this.#key));
  }

  #error(
    code: IdempotencyError['code'],
    message: string,
    facts: Pick<CallFacts, 'outcome' | 'retryable'> & { readonly cause?: Error },
  ): IdempotencyError {
    const { operation, attempts } = factsOf(this.#call, false);
    return new IdempotencyError(message, { operation, attempts, code, ...facts, idempotencyKey: this.#key });
  }
}

/** The message of a cause, for a place within a sentence. */
export function reasonOf({ message }: Error): string {
  return message.replace(/\.$/, '');
}

/** A copy of what a store rejected with, and whether it lasts: a program or its configuration is wrong, so that calling again fails again. */
export function causeOf(
  thrown: unknown,
  redact: Redact,
): { readonly cause: Error; readonly isLasting: boolean } {
  const isMistake = Reflect.get(Object(thrown), 'name') === 'TypeError';
  return { cause: cleanCopy(thrown, redact), isLasting: isMistake || thrown instanceof ConfigurationError };
}
