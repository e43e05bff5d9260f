import { type Clock, steadyTime } from '../../foundation/clock.js';
import { type Explanation, explainConnection, type Way } from '../../foundation/connection-causes.js';
import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError } from '../../foundation/options.js';
import {
  ServiceError,
  StoreBusyError,
  StoreCause,
  StoreRefusedError,
  StoreUnavailableError,
} from '../../server/model/service-error.js';
import { machineClock } from '../../server/time/machine-clock.js';

/** The way to the database of a store. */
const way: Way = {
  url: 'postgres://',
  env: {},
  tables: {
    name: 'the tables of the store',
    make: 'Run messaging-automation migrate (migrate() of the store), or start a server of this version.',
    grant:
      'Grant it what "Operate a service over PostgreSQL" lists under Permissions. To make the tables, it needs CREATE on the database, or both schemas.',
  },
};

/** The pause between two reports of one cause. In milliseconds. */
const reportedEvery = 60_000;

/** How long the latest cause may explain why the database does not respond. In milliseconds. */
const explainsFor = 10_000;

/** Converts the errors of `pg`, and tells the operator their causes. */
export class StoreFailures {
  /** Called with each cause, once a minute at most. */
  onCause: (cause: StoreCause) => void = () => {};
  readonly #clock: Clock;
  readonly #toldAt = new Map<string, number>();
  #latest: { readonly cause: StoreCause; readonly at: number } | undefined;

  constructor(clock: Clock = machineClock) {
    this.#clock = clock;
  }

  /** The cause of the latest failure, if it was just now. */
  get latest(): StoreCause | undefined {
    const { cause, at = 0 } = this.#latest ?? {};
    return steadyTime(this.#clock) - at < explainsFor ? cause : undefined;
  }

  /** Whatever prevents a connection, a server can connect later: to a `StoreUnavailableError`. */
  ofConnecting(error: unknown): unknown {
    if (isConverted(error)) return error;
    // Without its cause, which has the password.
    if (fieldOf(error, 'code') === 'ERR_INVALID_URL') return new ConfigurationError(notAUrl);
    const happened = 'The server cannot connect to its database.';
    const cause = causeOf(happened, explainConnection(error, way), error);
    return this.#told(withReason(new StoreUnavailableError(), cause, error));
  }

  /** What ended a connection: to a `StoreUnavailableError`. */
  ofLoss(error: unknown): StoreUnavailableError {
    const happened = 'The server has lost a connection to its database.';
    const cause = causeOf(happened, explainConnection(error, way), error);
    return this.#told(withReason(new StoreUnavailableError(), cause, error));
  }

  /** To a `StoreUnavailableError`, a `StoreBusyError` or a `StoreRefusedError`. An error of an unknown cause stays as it is. */
  ofStatement(error: unknown): unknown {
    if (isConverted(error)) return error;
    const explanation = explainConnection(error, way);
    if (explanation.kind === 'lost') return this.ofLoss(error);
    if (explanation.kind === undefined) return error;
    const { happened, convert } = ofStatements[explanation.kind];
    const cause = causeOf(happened, explanation, error);
    // What writes a row can expect that its key is taken.
    if (cause.code === duplicateKey) return new StoreRefusedError(cause.message, { cause: error });
    return this.#told(convert(cause, error));
  }

  /** The error of a store that cannot start, for whoever starts it: the message says what happened and what to do. */
  ofStart(error: unknown): unknown {
    const converted = this.ofStatement(error);
    const { reason }: { readonly reason?: unknown } = Object(converted);
    return reason instanceof StoreCause ? new Error(reason.message, { cause: converted }) : converted;
  }

  #told<Failed extends StoreUnavailableError | StoreRefusedError>(failed: Failed): Failed {
    const { reason } = failed;
    if (reason === undefined) return failed;
    const now = steadyTime(this.#clock);
    this.#latest = { cause: reason, at: now };
    const toldAt = this.#toldAt.get(reason.inPublic);
    if (toldAt !== undefined && now - toldAt < reportedEvery) return failed;
    this.#toldAt.set(reason.inPublic, now);
    this.onCause(reason);
    return failed;
  }
}

/** What becomes of a statement that fails on a connection that works. */
const ofStatements = {
  busy: {
    happened: 'The database has stopped a statement.',
    convert: (cause: StoreCause, error: unknown) => withReason(new StoreBusyError(), cause, error),
  },
  refused: {
    happened: 'The database refuses a statement.',
    convert: (cause: StoreCause, error: unknown) =>
      withReason(new StoreRefusedError(cause.message), cause, error),
  },
};

const duplicateKey = '23505';

const notAUrl =
  'The connectionString of the store is not a URL. Use a URL such as postgres://user:password@host:5432/database.';

function isConverted(error: unknown): boolean {
  return (
    error instanceof ServiceError || error instanceof StoreRefusedError || error instanceof ConfigurationError
  );
}

function withReason<Failed extends StoreUnavailableError | StoreRefusedError>(
  failed: Failed,
  reason: StoreCause,
  cause: unknown,
): Failed {
  failed.reason = reason;
  failed.cause = cause;
  return failed;
}

/** The most characters that a log shows of an unknown error. */
const longestMessage = 300;

function causeOf(
  happened: string,
  { code = 'unknown', sentences, inFull = sentences }: Explanation,
  error: unknown,
): StoreCause {
  if (sentences !== '')
    return new StoreCause({ code, message: `${happened} ${inFull}`, inPublic: `${happened} ${sentences}` });
  const message = (fieldOf(error, 'message') || String(error)).replace(/\s+/g, ' ').slice(0, longestMessage);
  const remedy = 'Look at its log.';
  return new StoreCause({
    code: code || 'unknown',
    message: `${happened} The reason: ${message} (${code || 'unknown'}). ${remedy}`,
    inPublic: `${happened} ${remedy}`,
  });
}

/** Whether the connection is of no more use: it is lost, or was refused. */
export function isLostConnection(error: unknown): boolean {
  return explainConnection(error, way).kind === 'lost';
}

/** Whether PostgreSQL, or a pooler before it, has no connection left for this server. */
export function hasNoConnectionLeft(error: unknown): boolean {
  return fieldOf(error, 'code') === '53300' || /^no more connections allowed/.test(fieldOf(error, 'message'));
}

/** Whether a call waited in the queue of a pool for too long. */
export function isWaitTooLong(error: unknown): boolean {
  return explainConnection(error, way).code === 'POOL_TIMEOUT';
}

/** Whether the database aborted the transaction in favor of another one, so that it can be repeated. */
export function isGivenUp(error: unknown): boolean {
  return /^(40P01|40001)$/.test(fieldOf(error, 'code'));
}

/**
 * Whether a statement for many callers fails for each of them alone, too: without a connection, and if it took too long. After
 * deadlocks, a smaller statement can succeed.
 */
export function failsForEach(error: unknown): boolean {
  return error instanceof StoreUnavailableError && !isGivenUp(error.cause);
}

/** Whether a row with this key already exists. `key` is the name of the constraint. */
export function isDuplicate(error: unknown, key: string): boolean {
  const refused = error instanceof StoreRefusedError ? error.cause : error;
  return fieldOf(refused, 'code') === duplicateKey && fieldOf(refused, 'constraint') === key;
}

function fieldOf(error: unknown, name: 'code' | 'message' | 'constraint'): string {
  const value = isObject(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : '';
}
