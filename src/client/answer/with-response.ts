/** The status and the headers of a response. */
export interface AnswerHead {
  /** The HTTP status. */
  readonly status: number;
  /** The response headers, including those about rate limits. */
  readonly headers: Headers;
}

/** The result of a call together with its response. */
export interface WithResponse<Data> {
  /** The result of the call. */
  readonly data: Data;
  /** The status and the headers of the response. */
  readonly response: AnswerHead;
  /** The service's id of the request, from the response header `x-request-id`. */
  readonly requestId: string | undefined;
  /** How many requests the call made. */
  readonly attempts: number;
}
