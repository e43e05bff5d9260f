import type { ErrorCode } from '../../contract/error.js';
import type { ErrorDetail } from '../../contract/error-body.js';
import { ConfigurationError, type FieldProblem } from '../../foundation/options.js';

/** The length limits of an error, because the names in a request can be as long as the request. */
const longestMessage = 1_000;
const longestField = 200;
const mostDetails = 20;

/** An error of the service's rules. The HTTP layer turns it into a status and a body. */
export class ServiceError extends Error {
  static {
    this.prototype.name = 'ServiceError';
  }
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = []) {
    super(cut(message, longestMessage));
    this.code = code;
    this.details = details.slice(0, mostDetails).map(({ field, message: text }) => ({
      field: cut(field, longestField),
      message: cut(text, longestMessage),
    }));
  }
}

/** Returns the error of a call to a workspace that was closed or deleted, or whose server is closing. */
export function workspaceClosed(code: 'unauthorized' | 'service_unavailable' = 'unauthorized'): ServiceError {
  return new ServiceError(code, 'This workspace is closed, or its server is. Create another.');
}

/** The path of a request has an unknown id: `not_found`. The service's document does not show the status. */
export class UnknownIdError extends ServiceError {
  static {
    this.prototype.name = 'UnknownIdError';
  }

  constructor(message: string) {
    super('not_found', message);
  }
}

/** Why a store fails, as one line for the operator: the cause, its code and the remedy. No caller of the API sees it. */
export class StoreCause extends Error {
  static {
    this.prototype.name = 'StoreCause';
  }
  readonly code: string;
  /** The line without the words of the database, for `/health`, which needs no key while the store is out of reach. */
  readonly inPublic: string;

  constructor({ code, message, inPublic }: Pick<StoreCause, 'code' | 'message' | 'inPublic'>) {
    super(message);
    this.code = code;
    this.inPublic = inPublic;
  }
}

/** The server cannot reach its database. */
export class StoreUnavailableError extends ServiceError {
  static {
    this.prototype.name = 'StoreUnavailableError';
  }
  /** When to try again. In milliseconds. */
  readonly retryAfter = 1_000;
  /** The store has told it the operator. */
  reason?: StoreCause;

  constructor(
    message = 'The server cannot reach its database. If the request changes data, it may have succeeded: check before you repeat it.',
  ) {
    super('service_unavailable', message);
  }
}

/** The database has stopped a statement, because of a timeout, a lock or a lack of room. Another try can succeed. */
export class StoreBusyError extends StoreUnavailableError {
  static {
    this.prototype.name = 'StoreBusyError';
  }

  constructor() {
    super(
      'The database of the server is busy. If the request changes data, it may have succeeded: check before you repeat it.',
    );
  }
}

/** The database refuses a statement, and would again until the operator changes something. The server responds as to an error of its own. */
export class StoreRefusedError extends Error {
  static {
    this.prototype.name = 'StoreRefusedError';
  }
  /** The store has told it the operator. */
  reason?: StoreCause;
}

/** What a program asks for was already done, or what it names is not as it expects. The API has no such error. */
export class ConflictError extends Error {
  static {
    this.prototype.name = 'ConflictError';
  }
}

/** The workspace made too many requests. */
export class RateLimitedError extends ServiceError {
  static {
    this.prototype.name = 'RateLimitedError';
  }
  /** How long to wait before the next request. In milliseconds. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super('rate_limited', message);
    this.retryAfter = retryAfter;
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Creates the error for invalid fields. The message names the first, the details name the first twenty. */
export function invalidRequest(details: readonly ErrorDetail[]): ServiceError {
  const [first] = details;
  const subject = first === undefined || first.field === '' ? 'The body' : cut(first.field, longestField);
  const others = details.length - 1;
  const rest = others > 0 ? ` (and ${others} more, ${whereOthersStand(others)})` : '';
  return new ServiceError(
    'invalid_request',
    `${subject} ${first?.message ?? 'is not valid'}${rest}.`,
    details,
  );
}

function whereOthersStand(others: number): string {
  return others < mostDetails ? 'see details' : `${mostDetails - 1} of them in the details`;
}

/** The error for invalid input from a program or a file. It names each invalid field. */
export function notRight(subject: string, problems: readonly FieldProblem[]): ConfigurationError {
  const lines = problems.map(({ field, message }) => `${field || 'the value'} ${message}`);
  // The name of a field may come from a file: it begins no line of its own.
  const texts = lines.map((line) => line.replace(/\s*\n\s*/g, ' '));
  return new ConfigurationError([`${subject} is invalid:`, ...texts].join('\n  '));
}
