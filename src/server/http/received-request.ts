/** A request from a socket or a `Request`, as the application reads it. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path, with resolved dot segments, still percent-encoded. */
  readonly path: string;
  /** The query with its `?`. Empty if there is none. */
  readonly search: string;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** The address of this server at which the request arrived. Empty for a request without a socket. */
  readonly localAddress: string;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /**
   * The bytes of the body.
   *
   * @param limit - The largest number of bytes.
   * @throws ServiceError if the body is larger, or ends early.
   */
  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A request that the server is handling. */
export interface Exchange {
  /** The response header `X-Request-Id`. */
  readonly id: string;
  readonly request: ReceivedRequest;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The bytes of the body, after the server has read them. */
  body?: Uint8Array<ArrayBuffer>;
}
