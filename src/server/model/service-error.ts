import type { ErrorCode } from '../../contract/error.js';
import type { ErrorDetail } from '../../contract/error-body.js';

/** A refusal by the service's rules. The HTTP layer turns it into the error's status and body. */
export class ServiceError extends Error {
  static {
    this.prototype.name = 'ServiceError';
  }
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The refusal of a request whose path names an id that nothing has: `not_found`, with a status that is not shown (§4). */
export class UnknownIdError extends ServiceError {
  static {
    this.prototype.name = 'UnknownIdError';
  }

  constructor(message: string) {
    super('not_found', message);
  }
}

/** The refusal of one request too many. */
export class RateLimitedError extends ServiceError {
  static {
    this.prototype.name = 'RateLimitedError';
  }
  /** How long to wait before the next. In milliseconds. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super('rate_limited', message);
    this.retryAfter = retryAfter;
  }
}

/** The refusal of a request whose fields are wrong: the message names the first, the details name all. */
export function invalidRequest(details: readonly ErrorDetail[]): ServiceError {
  const [first] = details;
  const subject = first === undefined || first.field === '' ? 'The body' : first.field;
  const rest = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : '';
  return new ServiceError(
    'invalid_request',
    `${subject} ${first?.message ?? 'is not valid'}${rest}.`,
    details,
  );
}
