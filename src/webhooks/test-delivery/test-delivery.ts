import { signatureHeader } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import { toOwnBytes } from '../crypto/bytes.js';
import { toBase64 } from '../diagnose/encodings.js';
import { type LambdaCaller, type LambdaTestEvent, lambdaEventOf } from './lambda-test-event.js';
import { headOf, nodeRequestOf, type TestNodeRequest, type WireDelivery } from './node-request.js';

/** What the variants of a delivery are made from. */
export interface DeliveryRecipe {
  readonly event: string;
  readonly workspaceId: string;
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly url: URL;
  sign(body: string): string;
  signWithAnother(body: string): string;
}

/** What was done to a delivery on its way. Each stays with whatever else is done to it. */
interface Spoiling {
  /** The body was changed after it was signed. */
  readonly isTampered: boolean;
  readonly signed: 'rightly' | 'by another' | 'not at all';
}

const unspoilt: Spoiling = { isTampered: false, signed: 'rightly' };

const minute = 60_000;
const beyondPast = 24 * 60 * minute + minute;
const beyondFuture = 6 * minute;

/**
 * A signed delivery for a test of a receiver, in the shape of whichever framework the receiver is for.
 * `signTestDelivery` makes it. Its variants are deliveries too, and have variants: `tampered().late()` is both. Making one
 * leaves the original as it is.
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
  /** The value of `X-Service-Signature`; `undefined` where the header is left out. */
  readonly signature: string | undefined;
  /** The headers that are sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where it is sent to. */
  readonly url: string;

  // Holds the secret, so it must not show when a test prints the delivery.
  readonly #recipe: DeliveryRecipe;
  readonly #spoiling: Spoiling;

  /** @internal */
  constructor(recipe: DeliveryRecipe, spoiling: Spoiling = unspoilt) {
    this.#recipe = recipe;
    this.#spoiling = spoiling;
    const { workspaceId } = recipe;
    this.body = bodyOf(spoiling.isTampered ? { ...recipe, workspaceId: `${workspaceId}_tampered` } : recipe);
    this.signature = signatureOf(recipe, spoiling.signed);
    this.url = recipe.url.href;
    const contentType = { 'Content-Type': 'application/json' };
    this.headers =
      this.signature === undefined ? contentType : { ...contentType, [signatureHeader]: this.signature };
  }

  /** The body's bytes, a copy of their own each time. */
  get bytes(): Bytes {
    return toOwnBytes(this.body);
  }

  /** A Fetch request, a new one each time: for Next.js, Hono, Workers, or `fetch` at a real server. */
  toRequest(url: string | URL = this.url): Request {
    return new Request(url, { method: 'POST', headers: this.headers, body: this.bytes });
  }

  /**
   * A request of `node:http` whose body nobody has read: also for Connect, Koa's `context.req`, Next.js pages.
   *
   * @throws TypeError where the runtime has no `node:stream`.
   */
  toNodeRequest(): TestNodeRequest {
    return nodeRequestOf(this.#wire());
  }

  /** A request of Express behind `express.raw()`: `body` holds the bytes. */
  toExpressRequest(): TestExpressRequest {
    const { url, method, headers } = headOf(this.#wire());
    return {
      method,
      url,
      originalUrl: url,
      path: this.#recipe.url.pathname,
      headers,
      body: this.bytes,
      readable: false,
      readableEnded: true,
      destroyed: true,
      get: (name) => headers[name.toLowerCase()],
      on: () => undefined,
      removeListener: () => undefined,
      pause: () => undefined,
    };
  }

  /**
   * A request of Fastify with a content-type parser that hands on the bytes: `body` and `rawBody` hold them.
   *
   * @throws TypeError where the runtime has no `node:stream`.
   */
  toFastifyRequest(): TestFastifyRequest {
    const raw = this.toNodeRequest();
    const { url, method, headers } = raw;
    return { method, url, headers, raw, body: this.bytes, rawBody: this.bytes };
  }

  /**
   * An event of AWS Lambda.
   *
   * @param caller - What calls the function. Default: API Gateway with payload format 2.0.
   * @param options - With `base64: true` the body is base64, as behind a binary media type or CloudFront.
   */
  toLambdaEvent(caller: LambdaCaller = 'v2', options: { readonly base64?: boolean } = {}): LambdaTestEvent {
    const { base64 = false } = options;
    const body = base64 ? toBase64(this.bytes) : this.body;
    return lambdaEventOf(this.#wire(), caller, body, base64);
  }

  /** Its body changed on the way: still a delivery as documented, from another workspace, under the old signature. */
  tampered(): TestDelivery {
    return new TestDelivery(this.#recipe, { ...this.#spoiling, isTampered: true });
  }

  /** Correctly signed, and older by the given milliseconds. Default: 24 hours and a minute, which is too old by default. */
  late(by: number = beyondPast): TestDelivery {
    return this.#with({ time: this.#recipe.time - by });
  }

  /** Correctly signed, and ahead by the given milliseconds. Default: six minutes, which is too new by default. */
  early(by: number = beyondFuture): TestDelivery {
    return this.#with({ time: this.#recipe.time + by });
  }

  /** The same bytes once more, as the service's retry sends them. */
  duplicate(): TestDelivery {
    return this;
  }

  /** Signed rightly, of an event type that this package does not know: to be acknowledged. */
  unknownType(event = 'contact.of_the_future'): TestDelivery {
    return this.#with({ event });
  }

  /** Without a signature. */
  unsigned(): TestDelivery {
    return new TestDelivery(this.#recipe, { ...this.#spoiling, signed: 'not at all' });
  }

  /** Signed with the secret of somebody else. One that is not signed at all stays so. */
  wrongSecret(): TestDelivery {
    if (this.#spoiling.signed === 'not at all') return this;
    return new TestDelivery(this.#recipe, { ...this.#spoiling, signed: 'by another' });
  }

  #with(changes: Partial<DeliveryRecipe>): TestDelivery {
    return new TestDelivery({ ...this.#recipe, ...changes }, this.#spoiling);
  }

  #wire(): WireDelivery {
    return { url: this.#recipe.url, bytes: this.bytes, headers: this.headers };
  }
}

/**
 * What a handler reads of a request in Express, when `express.raw()` has read the body.
 */
export interface TestExpressRequest {
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly readable: boolean;
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  /** A header by its name in any case. */
  get(name: string): string | undefined;
  /** Nothing is left to hear of: the body was read. */
  on(event: string, listener: unknown): unknown;
  /** Does nothing, as `on` does. */
  removeListener(event: string, listener: unknown): unknown;
  /** Does nothing. */
  pause(): unknown;
}

/**
 * What a handler reads of a request in Fastify.
 */
export interface TestFastifyRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: TestNodeRequest;
  readonly body: Uint8Array;
  readonly rawBody: Uint8Array;
}

function signatureOf(recipe: DeliveryRecipe, signed: Spoiling['signed']): string | undefined {
  const body = bodyOf(recipe);
  switch (signed) {
    case 'rightly':
      return recipe.sign(body);
    case 'by another':
      return recipe.signWithAnother(body);
    case 'not at all':
      return undefined;
  }
}

function bodyOf({ event, workspaceId, time, data }: DeliveryRecipe): string {
  return JSON.stringify({ event, workspaceId, timestamp: new Date(time).toISOString(), data });
}
