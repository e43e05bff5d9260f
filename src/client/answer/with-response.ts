/** The head of an HTTP answer. */
export interface AnswerHead {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, those of rate limits among them. */
  readonly headers: Headers;
}

/** What a call gives, and how it came. */
export interface WithResponse<Data> {
  /** What the call itself resolves to. */
  readonly data: Data;
  /** Status and headers of the answer. */
  readonly response: AnswerHead;
  /** The service's id of the request, where the answer carried one. */
  readonly requestId: string | undefined;
  /** How many requests it took. */
  readonly attempts: number;
}
