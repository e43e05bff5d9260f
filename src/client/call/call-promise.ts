import type { Outcome } from '../errors/request-error.js';
import type { WithResponse } from '../response/interpret.js';

/**
 * The promise that each method of the client returns. Await it for the data, or call `withResponse` for the data with
 * the response.
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
  readonly #response: Promise<WithResponse<Data>>;
  readonly #call: { readonly outcome: Outcome };
  #succeeded = false;

  /** Makes `then`, `catch` and `finally` return plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @internal */
  constructor(response: Promise<WithResponse<Data>>, call: { readonly outcome: Outcome }) {
    super((resolve) =>
      resolve(
        response.then(({ data }) => {
          this.#succeeded = true;
          return data;
        }),
      ),
    );
    this.#response = response;
    this.#call = call;
  }

  /**
   * What has become of the request so far: the `outcome` that an error of the call would have. `undefined` once the
   * call has succeeded. Use it after you abort a call, because the call then rejects with the reason of your signal,
   * which has no `outcome`.
   */
  get outcome(): Outcome | undefined {
    return this.#succeeded ? undefined : this.#call.outcome;
  }

  /**
   * Returns the data with the status and the headers of the response, the request id and the number of attempts.
   */
  withResponse(): Promise<WithResponse<Data>> {
    // The caller handles a failure through the returned promise, so this promise must not count as unhandled.
    this.catch(() => {});
    return this.#response;
  }
}
