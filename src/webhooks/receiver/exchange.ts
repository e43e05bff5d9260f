/**
 * What stands between the receiver's core and the adapters: a request as it came, and the answer to give. An
 * adapter turns its framework's request into the one and its framework's response from the other, and decides
 * nothing.
 */

/**
 * The headers of a request, as frameworks keep them: by any case, a value or several.
 */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One request that a receiver got.
 *
 * @typeParam Request - The framework's own request.
 */
export interface ReceivedRequest<Request> {
  /** The method, in capitals. */
  readonly method: string;
  /** The headers, of which the signature is one. */
  readonly headers: ReceivedHeaders;
  /**
   * Reads the body's bytes exactly as received, `limit` of them at the most: gives them at once where they are there.
   * Called once at the most.
   *
   * @throws UnreadableBodyError where the bytes are too many, gone, or did not arrive.
   */
  readBody(limit: number): Uint8Array | Promise<Uint8Array>;
  /**
   * What to do about a body that something decoded into text before the receiver had it; `undefined` for one that came
   * as bytes. Asked for once the body was read and its signature did not match, and added to that error's message.
   */
  readonly adviceOnDecodedBody?: (() => string | undefined) | undefined;
  /** The framework's own request, for a secret that depends on it and for the handlers. */
  readonly request: Request;
  /** Keeps the platform from ending the process before the work is done, where it has a way to. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/**
 * What to answer. Nothing in it tells the sender why.
 */
export interface ReceiverAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers to set. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, empty more often than not. */
  readonly body: string;
}

/**
 * The core of a receiver, as the adapters see it.
 *
 * @typeParam Request - The framework's own request.
 */
export interface ReceiverCore<Request> {
  /** Answers a request. Never rejects, and resolves no later than the receiver's deadline. */
  receive(received: ReceivedRequest<Request>): Promise<ReceiverAnswer>;
}
