/**
 * The head of an HTTP answer.
 *
 * @example
 * ```ts
 * import { type AnswerHead, MessagingAutomation } from 'messaging-automation';
 *
 * const remaining = (head: AnswerHead) => head.headers.get('x-ratelimit-remaining');
 * const messaging = new MessagingAutomation();
 * const { response } = await messaging.templates.list().withResponse();
 * console.log(response.status, remaining(response));
 * ```
 */
export interface AnswerHead {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, those of rate limits among them. */
  readonly headers: Headers;
}

/**
 * What a call gives, and how it came.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Template, type WithResponse } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const answer: WithResponse<readonly Template[]> = await messaging.templates.list().withResponse();
 * console.log(answer.data.length, answer.response.status, answer.requestId, answer.attempts);
 * ```
 */
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
