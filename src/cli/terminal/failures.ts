/** A failure of a valid command. The user sees only its message. */
export class CommandFailure extends Error {
  static {
    this.prototype.name = 'CommandFailure';
  }

  /** Whether a later try may succeed: the server did not respond, or has a problem. */
  readonly mayPass: boolean;

  /** What `--json` prints beside the message. */
  readonly facts: FailureFacts;

  constructor(
    message: string,
    { mayPass = false, ...facts }: FailureFacts & { readonly mayPass?: boolean } = {},
  ) {
    super(message);
    this.mayPass = mayPass;
    this.facts = facts;
  }

  /** The status of a refusal. */
  get status(): number | undefined {
    return this.facts.status;
  }
}

/** What is known of a request that failed. */
export interface FailureFacts {
  /** What became of it. */
  readonly outcome?: string | undefined;
  /** The status of the response, if one came. */
  readonly status?: number | undefined;
  /** The code of the service or of the connection. */
  readonly code?: string | undefined;
}

/** An invalid command line. The user sees only its message. */
export class UsageError extends Error {
  static {
    this.prototype.name = 'UsageError';
  }
}

/** The message of an error, or of any thrown value. */
export function messageOf(error: unknown): string {
  const { message }: { message?: unknown } = Object(error);
  return typeof message === 'string' ? message : String(error);
}

/** The message of the first cause of an error. Only the cause of an error of `fetch` says why it failed, and some have only a code. */
export function reasonOf(error: unknown): string {
  const { message, cause, code }: { message?: unknown; cause?: unknown; code?: unknown } = Object(error);
  if (cause !== undefined) return reasonOf(cause);
  return String(message || code || error);
}

/** For the `catch` of a promise: throws what failed, and why. By default, the command line is wrong. */
export function failing(what: string, Failure: typeof UsageError | typeof CommandFailure = UsageError) {
  return (error: unknown): never => {
    throw new Failure(`${what} ${messageOf(error)}`);
  };
}

/** The value that a function makes of the command line. Its error is one of the command line, unless another refusal is given. */
export function usable<Value>(
  make: () => Value,
  refusal: (error: unknown) => UsageError = (error) => new UsageError(messageOf(error)),
): Value {
  try {
    return make();
  } catch (error) {
    throw refusal(error);
  }
}
