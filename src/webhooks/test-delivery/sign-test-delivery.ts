import type { deliveryDataFields, MessageReceivedData, WebhookEventType } from '../../contract/delivery.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import { aText, checkOptions, hasMethods, type OptionChecks } from '../../foundation/options.js';
import { readSecret, type WebhookSecret } from '../verification/secret.js';
import { signWebhook } from '../verification/sign.js';
import { TestDelivery } from './test-delivery.js';

/**
 * Options of `signTestDelivery`.
 */
export interface TestDeliveryOptions {
  /** The receiver's secret. */
  readonly secret: WebhookSecret;
  /** The event's type. Default: `message.received`. */
  readonly event?: WebhookEventType | (string & {}) | undefined;
  /** Fields of `data`, which add to the plausible ones or replace them. A field that is `undefined` is omitted. */
  readonly data?: TestDeliveryData | undefined;
  /** The workspace of the event. Default: `workspace_1`. */
  readonly workspaceId?: string | undefined;
  /** The time of the event, as a date or in milliseconds since the epoch. Default: now. */
  readonly timestamp?: Date | number | undefined;
  /** The URL of the request. Default: `https://example.com/webhooks`. */
  readonly url?: string | URL | undefined;
  /** The source of the time. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * Fields of a delivery's `data`. The names of `message.received` are typed. Values may be invalid, to test invalid deliveries.
 */
export type TestDeliveryData = {
  readonly [Field in keyof (typeof deliveryDataFields)['message.received']]?: unknown;
} & Readonly<Record<string, unknown>>;

const checks: OptionChecks = {
  event: aText,
  data: [isObject, 'an object'],
  workspaceId: aText,
  timestamp: [
    (value) => Number.isFinite(Number(value)),
    'a date, or a number of milliseconds since the epoch',
  ],
  url: [(value) => URL.canParse(String(value)), 'a URL'],
  clock: [hasMethods('now'), 'an object with the method now'],
};

/**
 * Creates a delivery and signs it as the service does, for tests of your own receiver. It has plausible data and unique
 * ids. Its variants are deliveries that a receiver must refuse, handle once, or acknowledge
 * although their type is unknown.
 *
 * @param options - The receiver's secret, and the values that the test needs.
 * @returns The delivery.
 * @throws TypeError for a secret that is empty, blank or damaged.
 * @throws ConfigurationError for another invalid option.
 *
 * @example
 * ```ts
 * import { signatureHeader, signTestDelivery, unwrapWebhook } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receive = async (request: Request): Promise<Response> => {
 *   try {
 *     unwrapWebhook(await request.arrayBuffer(), request.headers.get(signatureHeader), secret);
 *     return new Response(null, { status: 204 });
 *   } catch {
 *     return new Response(null, { status: 401 });
 *   }
 * };
 *
 * const delivery = signTestDelivery({ secret, data: { body: 'Where is my order?' } });
 * console.log((await receive(delivery.toRequest())).status); // 204
 * console.log((await receive(delivery.tampered().toRequest())).status); // 401
 * console.log((await receive(delivery.late().toRequest())).status); // 401
 * ```
 */
export function signTestDelivery(options: TestDeliveryOptions): TestDelivery {
  checkOptions('signTestDelivery', options, checks);
  const { event = 'message.received', workspaceId = 'workspace_1', clock = systemClock } = options;
  const secret = readSecret(options.secret);
  const time = Number(options.timestamp ?? clock.now());
  const data = { ...sampleData(event, new Date(time).toISOString()), ...options.data };
  return new TestDelivery({
    event,
    workspaceId,
    time,
    data,
    url: new URL(options.url ?? 'https://example.com/webhooks'),
    sign: (body) => signWebhook(body, secret),
  });
}

/**
 * Returns plausible data for an event type. The id is different each time, as in deliveries of the service, so that a receiver does not
 * treat the events as duplicates.
 */
function sampleData(event: string, timestamp: string): Readonly<Record<string, unknown>> {
  const id = globalThis.crypto.randomUUID();
  switch (event) {
    case 'message.received':
      return {
        conversationId: 'conversation_1',
        messageId: `message_${id}`,
        contactId: 'contact_1',
        phone: '+15551234567',
        type: 'text',
        body: 'Hello',
        receivedAt: timestamp,
      } satisfies MessageReceivedData;
    case 'contact.opted_in':
    case 'contact.opted_out': {
      const keyword = event === 'contact.opted_in' ? 'START' : 'STOP';
      return { contactId: `contact_${id}`, phone: '+15551234567', keyword, occurredAt: timestamp };
    }
    default:
      return { id };
  }
}
