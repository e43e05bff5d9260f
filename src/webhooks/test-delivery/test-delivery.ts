import { signatureHeader, type WebhookEventType } from '../../contract/delivery.js';
import { factsOf, type messageFields } from '../../contract/webhook-events.js';
import type { Bytes } from '../../foundation/bytes.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import { isObject } from '../../foundation/is-object.js';
import {
  anything,
  aText,
  checkOptionsOfCall,
  hasMethods,
  type OptionChecks,
} from '../../foundation/options.js';
import { toOwnBytes } from '../crypto/bytes.js';
import { isKnownType } from '../verification/delivery.js';
import { readSecret, type WebhookSecret } from '../verification/secret.js';
import { signWebhook } from '../verification/sign.js';

/**
 * Options of `signTestDelivery`.
 */
export interface TestDeliveryOptions {
  /** The receiver's secret. */
  readonly secret: WebhookSecret;
  /** The event's type. Default: `message.received`. */
  readonly event?: WebhookEventType | (string & {}) | undefined;
  /** Fields of `data`, which add to the plausible ones or replace them. A field that is `undefined` is omitted. Default: none. */
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
  readonly [Field in keyof typeof messageFields]?: unknown;
} & Readonly<Record<string, unknown>>;

/** Of any realm. */
const isDate = (value: unknown) => Object.prototype.toString.call(value) === '[object Date]';

const checks: OptionChecks = {
  secret: anything,
  event: aText,
  data: [isObject, 'an object'],
  workspaceId: aText,
  timestamp: [
    (value) => (typeof value === 'number' || isDate(value)) && Number.isFinite(Number(value)),
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
  checkOptionsOfCall('signTestDelivery', options, checks);
  const { event = 'message.received', workspaceId = 'workspace_1', clock = systemClock } = options;
  const secret = readSecret(options.secret);
  const time = Number(options.timestamp ?? clock.now());
  const data = { ...sampleData(event, new Date(time).toISOString()), ...options.data };
  const url = new URL(options.url ?? 'https://example.com/webhooks').href;
  return new TestDelivery({ event, workspaceId, time, data, url, sign: (body) => signWebhook(body, secret) });
}

/**
 * Returns plausible data for an event type. The id is different each time, as in deliveries of the service, so that a receiver does not
 * treat the events as duplicates.
 */
function sampleData(event: string, timestamp: string): Readonly<Record<string, unknown>> {
  const id = globalThis.crypto.randomUUID();
  return isKnownType(event) ? factsOf(event).sample(id, timestamp) : { id };
}

/** The data from which a delivery and its variants are created. */
interface Recipe {
  readonly event: string;
  readonly workspaceId: string;
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly data: TestDeliveryData;
  readonly url: string;
  /** Returns the signature of a body, or `undefined` if the delivery has none. */
  readonly sign: (body: string) => string | undefined;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * A signed delivery for a test of a receiver. Send it with `fetch` or the test tool of your framework. `signTestDelivery` creates it.
 * Its variants are deliveries, too, and have variants: `tampered().late()` is both. A variant does not change the original.
 *
 * @example
 * ```ts
 * import { signTestDelivery, verifyWebhook, type TestDelivery } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const verifies = ({ body, signature }: TestDelivery) => verifyWebhook(body, signature, secret);
 *
 * const delivery = signTestDelivery({ secret });
 * console.log(verifies(delivery), verifies(delivery.tampered()), verifies(delivery.unsigned())); // true false false
 * ```
 */
export class TestDelivery {
  /** The body, whose UTF-8 bytes are signed. */
  readonly body: string;
  /** The value of `X-Service-Signature`. `undefined` if the header is omitted. */
  readonly signature: string | undefined;
  /** The headers that are sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL of the request. */
  readonly url: string;

  // Private, because it contains the secret, and a test may print the delivery.
  readonly #recipe: Recipe;

  /** @internal */
  constructor(recipe: Recipe) {
    this.#recipe = recipe;
    const { event, workspaceId, time, data } = recipe;
    this.body = JSON.stringify({ event, workspaceId, timestamp: new Date(time).toISOString(), data });
    this.signature = recipe.sign(this.body);
    this.url = recipe.url;
    const signed = this.signature !== undefined && { [signatureHeader]: this.signature };
    this.headers = { 'Content-Type': 'application/json', ...signed };
  }

  /** A new copy of the body's bytes. */
  get bytes(): Bytes {
    return toOwnBytes(this.body);
  }

  /** Returns a new Fetch request: for Next.js, Hono, Workers, or `fetch` to a server of any framework. */
  toRequest(url: string | URL = this.url): Request {
    return new Request(url, { method: 'POST', headers: this.headers, body: this.bytes });
  }

  /** With a body that was changed after it was signed: a documented delivery of another workspace with the old signature. */
  tampered(): TestDelivery {
    const workspaceId = `${this.#recipe.workspaceId}_tampered`;
    return this.#with({ workspaceId, sign: () => this.signature });
  }

  /** Correctly signed, and older by the given milliseconds. Default: 24 hours and a minute, which is too old by default. */
  late(by: number = day + minute): TestDelivery {
    return this.#with({ time: this.#recipe.time - by });
  }

  /** Correctly signed, and ahead by the given milliseconds. Default: six minutes, which is too new by default. */
  early(by: number = 6 * minute): TestDelivery {
    return this.#with({ time: this.#recipe.time + by });
  }

  /** With the same bytes again, as in a retry of the service. */
  duplicate(): TestDelivery {
    return this;
  }

  /** Correctly signed, with an event type that this package does not know. A receiver must acknowledge it. */
  unknownType(event = 'contact.of_the_future'): TestDelivery {
    return this.#with({ event });
  }

  /** Without a signature. */
  unsigned(): TestDelivery {
    return this.#with({ sign: () => undefined });
  }

  /** Signed with another secret. An unsigned delivery stays unsigned. */
  wrongSecret(): TestDelivery {
    if (this.signature === undefined) return this;
    return this.#with({ sign: (body) => signWebhook(body, 'whsec_of_somebody_else') });
  }

  #with(changes: Partial<Recipe>): TestDelivery {
    return new TestDelivery({ ...this.#recipe, ...changes });
  }
}
