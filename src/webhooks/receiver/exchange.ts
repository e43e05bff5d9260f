/**
 * The interface between the receiver's core and the adapters: a received request, and the response. An adapter converts its framework's
 * request and the response, and makes no decisions.
 */

/**
 * The headers of a request, with names in any case, and one value or several for each.
 */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One request that a receiver got.
 *
 * @typeParam Request - The framework's own request.
 */
export interface ReceivedRequest<Request> {
  /** The method in upper case. */
  readonly method: string;
  /** The headers, including the signature. */
  readonly headers: ReceivedHeaders;
  /**
   * Reads the body's bytes exactly as received. Returns them directly if they have already arrived. The receiver calls it at most once,
   * and refuses a body of more than `limit` bytes.
   *
   * @param limit - A function that reads a stream stops when more bytes arrive.
   * @param hold - Counts bytes against the limit on all bodies that are not verified. A function that reads a stream calls it with the
   * number of further bytes before it keeps them. If it throws, stop reading, and reject with its error.
   * @throws UnreadableBodyError if the body is too large, was read before, or did not arrive.
   */
  readBody(limit: number, hold: (bytes: number) => void): Uint8Array | Promise<Uint8Array>;
  /**
   * Returns what to do about a body that a middleware decoded into text, or `undefined` if the body arrived as bytes. The receiver calls
   * it if the signature does not match, and adds the result to the error's message.
   */
  readonly adviceOnDecodedBody?: (() => string | undefined) | undefined;
  /** The framework's own request, for a secret that depends on it and for the handlers. */
  readonly request: Request;
  /**
   * Calls the listener when the response is written, or when its connection has closed. `drain` waits for it. The receiver calls this
   * when the response is known and before `receive` resolves. Leave it out where the platform does not report it.
   */
  readonly onWritten?: ((listener: () => void) => void) | undefined;
  /**
   * Called with what a handler, `secret`, `enqueue` or the dedupe store threw to steer the framework, such as the `redirect()` of Next.js,
   * if the response has not been sent. Throw it on once `receive` has resolved. Leave it out where the framework would take it for a crash.
   */
  readonly onSteering?: ((thrown: unknown) => void) | undefined;
  /** Keeps the platform from ending the process before the work is done, if the platform has such a function. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/**
 * The response of a receiver. It does not contain the reason of a refusal.
 */
export type ReceiverResponse = {
  /** The HTTP status. */
  readonly status: number;
  /** The headers to set. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, usually empty. */
  readonly body: string;
};

/**
 * The core of a receiver, which adapters call.
 *
 * @typeParam Request - The framework's own request.
 */
export interface ReceiverCore<Request> {
  /** Responds to a request. Never rejects, and resolves no later than the receiver's deadline. */
  receive(received: ReceivedRequest<Request>): Promise<ReceiverResponse>;
}
