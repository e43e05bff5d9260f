import { signatureHeader } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import { toOwnBytes } from '../crypto/bytes.js';
import { signWebhook } from '../verification/sign.js';

/** The data from which a delivery and its variants are created. */
export interface DeliveryRecipe {
  readonly event: string;
  readonly workspaceId: string;
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly url: URL;
  /** Returns the signature of a body, or `undefined` if the delivery has none. */
  sign(body: string): string | undefined;
}

const minute = 60_000;
const beyondPast = 24 * 60 * minute + minute;
const beyondFuture = 6 * minute;

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
  readonly #recipe: DeliveryRecipe;

  /** @internal */
  constructor(recipe: DeliveryRecipe) {
    this.#recipe = recipe;
    const { event, workspaceId, time, data } = recipe;
    this.body = JSON.stringify({ event, workspaceId, timestamp: new Date(time).toISOString(), data });
    this.signature = recipe.sign(this.body);
    this.url = recipe.url.href;
    const signed = this.signature === undefined ? {} : { [signatureHeader]: this.signature };
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
  late(by: number = beyondPast): TestDelivery {
    return this.#with({ time: this.#recipe.time - by });
  }

  /** Correctly signed, and ahead by the given milliseconds. Default: six minutes, which is too new by default. */
  early(by: number = beyondFuture): TestDelivery {
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

  #with(changes: Partial<DeliveryRecipe>): TestDelivery {
    return new TestDelivery({ ...this.#recipe, ...changes });
  }
}
