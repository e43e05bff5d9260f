import { isPhone } from '../contract/phone.js';
import { type Clock, systemClock } from '../foundation/clock.js';
import type { FetchFunction } from '../foundation/fetch-function.js';
import { isObject } from '../foundation/is-object.js';
import {
  aClock,
  aFunction,
  aSignal,
  aText,
  aWholeNumber,
  checkOptionsOfCall,
  milliseconds,
  type OptionCheck,
  type OptionChecks,
  required,
  trueOrFalse,
} from '../foundation/options.js';
import type { ConformanceCheck } from './report.js';

/**
 * What the check may send. It sends one real message, which counts against the quota, and requests sends that the deployment must
 * refuse.
 *
 * @example
 * ```ts
 * import type { ConformanceSend } from 'messaging-automation/conformance';
 *
 * const send: ConformanceSend = { phone: '+15551234567', templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1' } };
 * ```
 */
export interface ConformanceSend {
  /** The phone to send to, in E.164. If no contact has it, the check creates one and removes it at the end. */
  readonly phone: string;
  /** An approved template. */
  readonly templateId: string;
  /** A value for each placeholder. If you give some, the check also requests a send without values, which the deployment must refuse. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** A template that is not approved. The deployment must refuse to send it. */
  readonly unapprovedTemplateId?: string | undefined;
  /** A phone that the chat provider rejects. The deployment must refuse to send to it. */
  readonly rejectedPhone?: string | undefined;
}

/**
 * How the check provokes deliveries and receives them. It listens on this machine, subscribes its own address, and removes
 * its subscriptions at the end.
 *
 * @example
 * ```ts
 * import type { ConformanceDeliveries } from 'messaging-automation/conformance';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const deliveries: ConformanceDeliveries = {
 *   provoke: async (message) => {
 *     await server.simulate.inboundMessage(message);
 *   },
 * };
 * ```
 */
export interface ConformanceDeliveries {
  /**
   * Sends this text to the workspace as a message of the contact with this phone. The deployment must deliver the message. The texts
   * START and STOP must change the sender's consent. If you cannot choose the phone or the text, set `byHand`.
   */
  readonly provoke: (message: { readonly phone: string; readonly body: string }) => Promise<void> | void;
  /** The public URL at which the deployment reaches the listener. Default: the listener's own, on this machine. */
  readonly url?: string | undefined;
  /** The port to listen on. Default: any free port. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** How long to wait for a delivery, in milliseconds. Default: 10,000. */
  readonly wait?: number | undefined;
  /**
   * How long to wait for the two retries of a delivery, in milliseconds, because the document does not show when they come. The
   * check always waits for the whole time, to see that no third retry comes. Default: 0, which leaves retries unchecked.
   */
  readonly retryWait?: number | undefined;
  /**
   * Whether a receiver responds after seven seconds, which is too late, to see that the deployment retries such a delivery. It needs a
   * `retryWait` that has time for it. Default: true.
   */
  readonly lateResponse?: boolean | undefined;
  /**
   * Whether a person or a chat app writes the texts, which may change their case and punctuation, and chooses the phone. Then the check
   * asks for simple texts only. Default: false, and each text must be delivered as it is.
   */
  readonly byHand?: boolean | undefined;
}

/**
 * Which deployment to check, and what the check may do there.
 *
 * @example
 * ```ts
 * import type { ConformanceOptions } from 'messaging-automation/conformance';
 *
 * const options: ConformanceOptions = {
 *   baseUrl: 'https://messaging.example.com/api',
 *   apiKey: 'key_of_a_workspace_for_tests',
 *   webhooks: false,
 * };
 * ```
 */
export interface ConformanceOptions {
  /** The deployment's address up to and including `/api`. */
  readonly baseUrl: string;
  /** The key of the workspace to work in. */
  readonly apiKey: string;
  /**
   * The key of another workspace of the same deployment. With it, the check tries to use, change and remove data of the first
   * workspace. It creates nothing in the other workspace.
   */
  readonly otherApiKey?: string | undefined;
  /** The key of a workspace without quota, where the deployment must refuse a send. */
  readonly exhaustedApiKey?: string | undefined;
  /** What the check may send. Default: nothing. */
  readonly send?: ConformanceSend | undefined;
  /** How the check provokes deliveries and receives them. Default: it does not check them. */
  readonly deliveries?: ConformanceDeliveries | undefined;
  /** Whether the check may track events, named `conformance_check`, for its own contacts. Default: true. */
  readonly events?: boolean | undefined;
  /** Whether the check may create and remove subscriptions. Default: true. */
  readonly webhooks?: boolean | undefined;
  /**
   * The URL of the subscriptions that the check creates and removes at once. Default: one under `example.invalid`, a host that
   * cannot exist, so that nothing is delivered there.
   */
  readonly webhookUrl?: string | undefined;
  /** How long one request may take, in milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined;
  /** Makes the requests. Default: the global `fetch`. */
  readonly fetch?: FetchFunction | undefined;
  /** The clock. Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Returns a phone number, in E.164, that belongs to no person. Default: one from the ranges reserved for fiction. */
  readonly newPhone?: (() => string) | undefined;
  /** Called with each result as it comes. */
  readonly onCheck?: ((check: ConformanceCheck) => void) | undefined;
  /** Ends the run early. The check first removes what it created. */
  readonly signal?: AbortSignal | undefined;
}

const aKey: OptionCheck = [
  (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
  'an API key: printable ASCII characters without spaces',
];

const aUrl: OptionCheck = [isUrl, 'an absolute http or https URL without credentials'];

const aPhone: OptionCheck = [isPhone, 'a phone number in E.164, such as +15551234567'];

/** What each option must be. */
const optionChecks = {
  baseUrl: [
    (value) => isUrl(value) && !/[?#]/.test(String(value)),
    'an absolute http or https URL that ends with its path and has no credentials, as in https://messaging.example.com/api',
    'required',
  ],
  apiKey: required(aKey),
  otherApiKey: aKey,
  exhaustedApiKey: aKey,
  send: [isObject, 'an object'],
  'send.phone': required(aPhone),
  'send.templateId': required(aText),
  'send.variables': [isObject, 'an object'],
  'send.rejectedPhone': aPhone,
  'send.unapprovedTemplateId': aText,
  deliveries: [isObject, 'an object'],
  'deliveries.provoke': required(aFunction),
  'deliveries.url': aUrl,
  'deliveries.port': aWholeNumber(0),
  'deliveries.host': aText,
  'deliveries.wait': milliseconds(0),
  'deliveries.retryWait': milliseconds(0),
  'deliveries.lateResponse': trueOrFalse,
  'deliveries.byHand': trueOrFalse,
  events: trueOrFalse,
  webhooks: trueOrFalse,
  webhookUrl: aUrl,
  timeout: milliseconds(1),
  fetch: aFunction,
  clock: aClock,
  newPhone: aFunction,
  onCheck: aFunction,
  signal: aSignal,
} satisfies OptionChecks;

/** An option of `checkConformance` that makes further checks possible. */
export type OptionName = keyof typeof optionChecks;

function isUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The options with their defaults, each value valid. */
export interface Settings extends ConformanceOptions {
  readonly events: boolean;
  readonly webhooks: boolean;
  readonly webhookUrl: string;
  readonly timeout: number;
  readonly fetch: FetchFunction;
  readonly clock: Clock;
  readonly newPhone: () => string;
}

/** @throws ConfigurationError if an option is missing or invalid. Its message shows no key. */
export function settingsOf(options: ConformanceOptions): Settings {
  checkOptionsOfCall('checkConformance', options, optionChecks);
  return {
    ...options,
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    events: options.events ?? true,
    webhooks: options.webhooks ?? true,
    webhookUrl: options.webhookUrl ?? 'https://example.invalid/messaging-automation/conformance',
    timeout: options.timeout ?? 10_000,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? systemClock,
    newPhone: options.newPhone ?? (() => fictionalPhone(Math.random)),
  };
}

/**
 * A phone number that no person has: in the North American numbering plan, 555-0100 to 555-0199 are reserved for fiction in
 * every area code. The area codes drawn here have no digit below 2, so none is a service code.
 *
 * @param random A number from 0 up to, but not including, 1.
 */
export function fictionalPhone(random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const area = [below(8) + 2, below(8) + 2, below(8) + 2].join('');
  return `+1${area}55501${String(below(100)).padStart(2, '0')}`;
}
