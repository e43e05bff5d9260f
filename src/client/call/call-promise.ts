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

/**
 * The promise that each method of the client returns: await it for the data, or ask for the response as well.
 *
 * @example
 * ```ts
 * import { type CallPromise, type Contact, MessagingAutomation } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const call: CallPromise<Contact> = messaging.contacts.upsert({ phone: '+15551234567' });
 * const { data, response } = await call.withResponse();
 * console.log(data.id, response.status === 201 ? 'created' : 'updated');
 * ```
 */
export class CallPromise<Data> extends Promise<Data> {
  readonly #answer: Promise<WithResponse<Data>>;

  /** What `then` and its kin return is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor(answer: Promise<WithResponse<Data>>) {
    super((resolve) => resolve(answer.then(({ data }) => data)));
    this.#answer = answer;
  }

  /** The data together with status and headers of the answer, its request id and the number of attempts. */
  withResponse(): Promise<WithResponse<Data>> {
    // Whoever takes this promise hears of a failure through it, so the other one must not count as unhandled.
    this.catch(() => {});
    return this.#answer;
  }
}
