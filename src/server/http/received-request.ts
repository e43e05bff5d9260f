/** A request, however it came: what the application reads of it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Its dot segments resolved, still percent-encoded. */
  readonly path: string;
  /** The `?` and what follows it; empty where there is none. */
  readonly search: string;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** Aborts when nobody is there any more to read the answer. */
  readonly gone: AbortSignal;
  /**
   * The bytes of the body.
   *
   * @param limit - How many bytes to read at the most.
   * @throws ServiceError where there are more, or the body breaks off.
   */
  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A request on its way through the server. */
export interface Exchange {
  /** Stands in the answer's header `X-Request-Id`. */
  readonly id: string;
  readonly request: ReceivedRequest;
  /** The values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The bytes of the body, once they were read. */
  body?: Uint8Array<ArrayBuffer>;
}
