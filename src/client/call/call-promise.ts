import type { WithResponse } from '../answer/with-response.js';
import type { Outcome } from '../errors/request-error.js';

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
  readonly #call: { readonly outcome: Outcome };
  #succeeded = false;

  /** What `then` and its kin return is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor(answer: Promise<WithResponse<Data>>, call: { readonly outcome: Outcome }) {
    super((resolve) =>
      resolve(
        answer.then(({ data }) => {
          this.#succeeded = true;
          return data;
        }),
      ),
    );
    this.#answer = answer;
    this.#call = call;
  }

  /**
   * What has become of the request so far, as an error of the call would tell it; `undefined` once the call has
   * succeeded. It tells what an aborted call leaves behind, which rejects with the reason of your own signal.
   */
  get outcome(): Outcome | undefined {
    return this.#succeeded ? undefined : this.#call.outcome;
  }

  /** The data together with status and headers of the answer, its request id and the number of attempts. */
  withResponse(): Promise<WithResponse<Data>> {
    // Whoever takes this promise hears of a failure through it, so the other one must not count as unhandled.
    this.catch(() => {});
    return this.#answer;
  }
}
