/**
 * What stands between the receiver's core and the adapters: a request as it came, and the answer to give. An
 * adapter turns its framework's request into the one and its framework's response from the other, and decides
 * nothing.
 */

/** The headers of a request, as frameworks keep them: by any case, a value or several. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One request that a receiver got.
 *
 * @typeParam Request - The framework's own request.
 */
export interface ReceivedRequest<Request> {
  readonly method: string;
  readonly headers: ReceivedHeaders;
  /**
   * Reads the body's bytes exactly as received, `limit` of them at the most. Called once at the most.
   *
   * @throws UnreadableBodyError where the bytes are too many, gone, or did not arrive.
   */
  readBody(limit: number): Promise<Uint8Array>;
  /** The framework's own request, for a secret that depends on it and for the handlers. */
  readonly request: Request;
  /** Keeps the platform from ending the process before the work is done, where it has a way to. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** What to answer. Nothing in it tells the sender why. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The core of a receiver, as the adapters see it: it answers every request and never rejects. */
export interface ReceiverCore<Request> {
  receive(received: ReceivedRequest<Request>): Promise<ReceiverAnswer>;
}
