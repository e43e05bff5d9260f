import type { OperationRequest } from '../../contract/operation.js';
import { createRedactor } from '../../contract/redaction.js';
import {
  type CallSettings,
  type ClientOptions,
  configure,
  configureAgain,
  warnOfMissing,
} from '../configuration.js';
import type { Outcome } from '../errors/request-error.js';
import { type CustomRequest, checkCustomRequest, customOperation } from '../request/custom-request.js';
import type { AnyCallable, CallableOperation } from '../request/request.js';
import type { CallOptions } from '../request/request-options.js';
import type { WithResponse } from '../response/interpret.js';
import { Call } from './call.js';
import type { CallPlan } from './plan.js';

/** What some operations need beyond their request and the options of the call. */
export type CallParticulars<Result> = Pick<CallPlan<Result>, 'whenMissing' | 'isGuarded' | 'around'>;

/** Makes the calls of a client, for its resources. */
export class Caller {
  readonly #options: ClientOptions;
  #settings: CallSettings;

  /** @throws {ConfigurationError} when an option is invalid. */
  constructor(options: ClientOptions) {
    this.#options = { ...options };
    this.#settings = configure(options);
    warnOfMissing(this.#settings);
  }

  /** The settings of the client. While something is missing, the environment is read again. */
  get settings(): CallSettings {
    if (this.#settings.missing !== undefined) this.#settings = configureAgain(this.#options, this.#settings);
    return this.#settings;
  }

  /** Makes a call whose types are those of the contract's table. */
  call<Request extends OperationRequest, Result>(
    operation: CallableOperation<Request, Result>,
    request: Request,
    options?: CallOptions,
  ): CallPromise<Result> {
    return this.callTyped(operation, request, options);
  }

  /**
   * Makes a call with the types of a workspace: its rules convert the request into that of the operation, and check the
   * contact of a response. The compiler cannot infer this for unknown schemas, hence the one cast.
   */
  callTyped<Result>(
    operation: AnyCallable,
    request: OperationRequest,
    options: CallOptions = {},
    particulars: CallParticulars<Result> = {},
  ): CallPromise<Result> {
    const typed = operation as CallableOperation<OperationRequest, Result>;
    const call = new Call({
      settings: this.#settingsFor(request),
      operation: typed,
      options,
      ...particulars,
    });
    return new CallPromise(call.make(request), call.progress);
  }

  /** Makes a call without an entry in the contract's table, and returns the JSON of the response. */
  request(given: CustomRequest, options: CallOptions = {}): CallPromise<unknown> {
    const request = { path: given.params, query: given.query, body: given.body };
    const settings = this.#settingsFor(request);
    const call = new Call({ settings, operation: customOperation(given), options });
    const make = async () => {
      checkCustomRequest(given, settings.redact);
      return call.make(request);
    };
    return new CallPromise(make(), call.progress);
  }

  /** A redactor that also masks the phone numbers of this call, however they are written. */
  #settingsFor(request: OperationRequest): CallSettings {
    const { settings } = this;
    const { known } = settings.apiKey;
    const phones = knownPhones(request); // now, because the caller may change its input afterwards
    return { ...settings, redact: createRedactor(known, () => phones) };
  }
}

/** The phone numbers that a request names, which no text about it may show, however their digits are written. */
function knownPhones({ query, body }: OperationRequest): readonly string[] {
  const properties: unknown = fieldOf(body, 'properties');
  const phones = [query?.phone, fieldOf(body, 'phone'), fieldOf(properties, 'phone')];
  return phones.filter((phone) => typeof phone === 'string');
}

/** `undefined` also where a getter of the input throws: the check of the input reports that. */
function fieldOf(value: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(value), name);
  } catch {
    return undefined;
  }
}

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
