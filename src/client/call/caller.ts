import type { OperationRequest } from '../../contract/operation.js';
import { createRedactor } from '../../contract/redaction.js';
import {
  type CallSettings,
  type ClientOptions,
  configure,
  configureAgain,
  warnOfMissing,
} from '../configuration.js';
import { type CustomRequest, checkCustomRequest, customOperation } from '../request/custom-request.js';
import type { AnyCallable, CallableOperation } from '../request/request.js';
import {
  anIdempotencyKey,
  type CallOptions,
  keyChecks,
  type SendOptions,
} from '../request/request-options.js';
import { Call } from './call.js';
import { CallPromise } from './call-promise.js';
import type { Around, CallPlan } from './plan.js';

/** What some operations need beyond their request and the options of the call. */
export interface CallParticulars<Result> extends Pick<CallPlan<Result>, 'whenMissing' | 'isGuarded'> {
  /** Makes the call once for its `idempotencyKey`. Without it, the operation does not have that option. */
  readonly once?: (key: string) => Around<Result>;
}

type KeyOption = Pick<SendOptions, 'idempotencyKey'>;

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
    given: CallOptions & KeyOption = {},
    { once, ...particulars }: CallParticulars<Result> = {},
  ): CallPromise<Result> {
    const typed = operation as CallableOperation<OperationRequest, Result>;
    const options: CallOptions & KeyOption = Object(given);
    const { idempotencyKey } = options;
    const call = new Call({
      settings: this.#settingsFor(request),
      operation: typed,
      options,
      given,
      ownOptions: once && keyChecks(this.settings, anIdempotencyKey),
      around: once && idempotencyKey !== undefined ? once(idempotencyKey) : undefined,
      ...particulars,
    });
    return new CallPromise(call.make(request), call.progress);
  }

  /** Makes a call without an entry in the contract's table, and returns the JSON of the response. */
  request(wanted: CustomRequest, given: CallOptions = {}): CallPromise<unknown> {
    const { params, query, body }: CustomRequest = Object(wanted);
    const request = { path: params, query, body };
    const settings = this.#settingsFor(request);
    const call = new Call({
      settings,
      operation: customOperation(Object(wanted)),
      options: Object(given),
      given,
    });
    const make = async () => {
      checkCustomRequest(wanted, settings.redact);
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
