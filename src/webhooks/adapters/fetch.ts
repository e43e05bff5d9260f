import { hasMethods } from '../../foundation/options.js';
import { aborted, consumed, UnreadableBodyError } from '../receiver/errors.js';
import type { ReceivedRequest, ReceiverCore, ReceiverResponse } from '../receiver/exchange.js';
import { checkReceiver } from './check-receiver.js';
import { collectBytes, type Hold, isCutShort } from './received-bytes.js';

/**
 * The part of a Fetch request that the adapter reads. Every `Request` has it, and so does the `HttpRequest` of Azure
 * Functions.
 */
export type FetchRequest = {
  readonly method: string;
  readonly headers: Headers;
  /** The stream of the body's bytes, from any module that declares it. `null` if the request has no body. */
  readonly body: {
    readonly locked: boolean;
    /** Begins to read the stream, and locks it. */
    getReader(): FetchBodyReader;
  } | null;
  /** Whether something has begun to read the body. */
  readonly bodyUsed: boolean;
  /** The adapter checks that this method exists, to recognize a request. It reads the stream. */
  arrayBuffer(): Promise<ArrayBuffer>;
};

/** A receiver whose code takes any request. A receiver of more special requests does not fit. */
interface ReceiverOfAny {
  /** Receives a request of any framework. */
  readonly receive: (received: ReceivedRequest<unknown>) => Promise<ReceiverResponse>;
}

/**
 * A handler that responds to every request: to a `Request`, and to what has the same parts. Next.js takes the last of these types for that
 * of the handler.
 */
type FetchHandler = {
  (request: FetchRequest, ...platform: readonly unknown[]): Promise<Response>;
  (request: Request, ...platform: readonly unknown[]): Promise<Response>;
};

type FetchBodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/**
 * Converts a receiver into a Fetch handler: Next.js app router, SvelteKit, Remix, h3 2, Elysia, Bun, Deno, Cloudflare
 * Workers, Netlify, Azure Functions 4.
 *
 * You can pass on all further arguments of the platform. The last argument with a `waitUntil` keeps the process alive for work that
 * continues after the response. In Next.js, pass `{ waitUntil: after }`.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns A handler that responds to every request. It rejects with a TypeError only if its argument is not a `Request`, and with what
 *   your code threw to steer the framework, such as `redirect()` of Next.js: no delivery is acknowledged then.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, signatureHeader, signWebhook, toFetchHandler } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receiver = createWebhookReceiver({ secret });
 * receiver.on('contact.opted_in', (event) => console.log(event.workspaceId)); // workspace_1
 *
 * const handle = toFetchHandler(receiver); // export const POST = handle; or Deno.serve(handle); or …
 *
 * const body = JSON.stringify({
 *   event: 'contact.opted_in',
 *   workspaceId: 'workspace_1',
 *   timestamp: new Date().toISOString(),
 *   data: {},
 * });
 * const headers = { 'Content-Type': 'application/json', [signatureHeader]: signWebhook(body, secret) };
 * const response = await handle(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(response.ok); // true
 * ```
 */
export function toFetchHandler(receiver: ReceiverOfAny): FetchHandler;
export function toFetchHandler<Own extends FetchRequest>(
  receiver: ReceiverCore<Own>,
): (request: Own, ...platform: readonly unknown[]) => Promise<Response>;
export function toFetchHandler<Own extends FetchRequest>(
  receiver: ReceiverCore<Own>,
): (request: Own, ...platform: readonly unknown[]) => Promise<Response> {
  checkReceiver('toFetchHandler', receiver);
  return async (request, ...platform) => {
    if (typeof request?.arrayBuffer !== 'function') throw new TypeError(noRequest);
    return receiveByFetch(receiver, { raw: request, request, fix, waitUntil: waitUntilOf(platform) });
  };
}

/** A Fetch request, and the framework's own object for it. */
export interface ReceivedByFetch<Own>
  extends Pick<ReceivedRequest<Own>, 'request' | 'waitUntil' | 'onWritten'> {
  readonly raw: FetchRequest;
  /** How to fix a body that was read before, with the framework's own names. */
  readonly fix: string;
  /** Returns the headers of the response. Default: those of the receiver's response. */
  readonly headersOf?: ((response: ReceiverResponse) => ReceiverResponse['headers']) | undefined;
}

/** Passes a request to the receiver. Releases the body afterwards, even if it has not arrived. */
export async function receiveByFetch<Own>(
  receiver: ReceiverCore<Own>,
  { raw, fix, headersOf, ...ofFramework }: ReceivedByFetch<Own>,
): Promise<Response> {
  const body = fetchBody(raw, fix);
  const steering: unknown[] = [];
  const response = await receiver.receive({
    method: raw.method,
    headers: raw.headers,
    readBody: body.read,
    onSteering: (thrown) => steering.push(thrown),
    ...ofFramework,
  });
  const headers = headersOf?.(response) ?? response.headers;
  body.letGo();
  if (steering.length > 0) throw steering[0]; // for the framework, which responds to it
  // A 204 response does not accept even an empty body.
  return new Response(response.body === '' ? null : response.body, { status: response.status, headers });
}

/**
 * The body of a Fetch request. Counts the bytes as they arrive, so that a body with a missing or false length cannot exceed the
 * limit.
 */
function fetchBody(request: FetchRequest, fixForConsumed: string) {
  let reader: FetchBodyReader | undefined;
  let isLetGo = false;

  /** Stops reading after the response was sent, and releases the bytes that have arrived. */
  function letGo(): void {
    isLetGo = true;
    // Not awaited, because a sender that never ends the stream would delay the response.
    reader?.cancel().catch(() => undefined);
  }

  /** @throws UnreadableBodyError if the body is too large, was read before, or did not arrive. */
  async function read(limit: number, hold: Hold): Promise<Uint8Array> {
    if (request.bodyUsed || request.body?.locked) throw consumed(fixForConsumed);
    const received = collectBytes(limit, hold);
    reader = request.body?.getReader();
    for (;;) {
      const chunk = await reader?.read().catch((error) => {
        // The framework has a limit of its own, and the stream has the error of its response; or else the sender left.
        const isTooLarge = Reflect.get(Object(error), 'status') === 413;
        throw isTooLarge ? new UnreadableBodyError('too_large', limitOfFramework) : aborted();
      });
      // A cancelled reader reports that it is done.
      if (isLetGo) throw aborted();
      if (chunk === undefined || chunk.done) {
        reader = undefined;
        const whole = received.whole();
        // Something has read a part of it before the framework made a Request.
        if (isCutShort(whole, request.headers.get('content-length'))) throw consumed(fixForConsumed);
        return whole;
      }
      try {
        received.add(chunk.value);
      } catch (error) {
        letGo();
        throw error;
      }
    }
  }

  return { read, letGo };
}

/** Workers call the handler with `(request, env, context)`, other platforms with `(request, context)`. */
function waitUntilOf(platform: readonly unknown[]): ReceivedRequest<unknown>['waitUntil'] {
  const context = platform.findLast(hasWaitUntil);
  // Call it on its owner. Otherwise the method of Workers throws "Illegal invocation".
  return context && ((work) => context.waitUntil(work));
}

function hasWaitUntil(value: unknown): value is { waitUntil(work: Promise<unknown>): void } {
  return hasMethods('waitUntil')(value);
}

const fix =
  'Give the handler the request before anything reads its body, or read a copy: await request.clone().json().';

const limitOfFramework =
  "The framework refused the body as too large, by a limit of its own. In SvelteKit's adapter-node this is the environment " +
  'variable BODY_SIZE_LIMIT, 512 kB by default: raise it if deliveries are that large.';

const noRequest =
  'The webhook handler was not given a Fetch Request. SvelteKit and Remix pass an event that holds it: ' +
  '({ request }) => handle(request). In Express, Fastify, Koa and the like, use the adapter of that framework.';
