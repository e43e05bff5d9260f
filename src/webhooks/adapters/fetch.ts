import type { ReceivedRequest, ReceiverAnswer, ReceiverCore } from '../receiver/exchange.js';
import { FetchBody, type FetchRequest } from './fetch-body.js';

/**
 * Converts a receiver into a Fetch handler: Next.js app router, SvelteKit, Remix, h3 2, Elysia, Bun, Deno, Cloudflare
 * Workers, Netlify, Azure Functions 4.
 *
 * You can pass on all further arguments of the platform. The last argument with a `waitUntil` keeps the process alive for work that
 * continues after the answer. In Next.js, pass `{ waitUntil: after }`.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns A handler that answers every request. It rejects with a TypeError only if its argument is not a `Request`.
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
 * const answer = await handle(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(answer.ok); // true
 * ```
 */
export function toFetchHandler<Own extends FetchRequest = Request>(
  receiver: ReceiverCore<Own>,
): (request: Own, ...platform: readonly unknown[]) => Promise<Response> {
  return async (request, ...platform) => {
    if (typeof request?.arrayBuffer !== 'function') throw new TypeError(noRequest);
    return receiveByFetch(receiver, { raw: request, request, fix, waitUntil: waitUntilOf(platform) });
  };
}

/** A request over Fetch, as its framework has it. */
interface ReceivedByFetch<Own> {
  readonly raw: FetchRequest;
  /** What the framework calls the request. */
  readonly request: Own;
  /** What to do about a body that was read already, in the framework's own words. */
  readonly fix: string;
  readonly waitUntil: ReceivedRequest<Own>['waitUntil'];
}

/** Has the receiver answer a request, and holds nothing of its body afterwards, whether or not it arrived. */
export async function receiveByFetch<Own>(
  receiver: ReceiverCore<Own>,
  { raw, request, fix, waitUntil }: ReceivedByFetch<Own>,
): Promise<Response> {
  const body = new FetchBody(raw, fix);
  const answer = await receiver.receive({
    method: raw.method,
    headers: raw.headers,
    readBody: (limit) => body.read(limit),
    request,
    waitUntil,
  });
  body.letGo();
  return toResponse(answer);
}

/** The answer as a Fetch response. A status that has no body (204) does not take an empty one either. */
function toResponse({ status, headers, body }: ReceiverAnswer): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

interface WithWaitUntil {
  waitUntil(work: Promise<unknown>): void;
}

/** Workers call with `(request, env, context)`, others with `(request, context)`; either may be passed on as it is. */
function waitUntilOf(platform: readonly unknown[]): ReceivedRequest<unknown>['waitUntil'] {
  const context = platform.findLast(hasWaitUntil);
  // Called on its owner: that of Workers throws "Illegal invocation" otherwise.
  return context && ((work) => context.waitUntil(work));
}

function hasWaitUntil(value: unknown): value is WithWaitUntil {
  return (
    typeof value === 'object' &&
    value !== null &&
    'waitUntil' in value &&
    typeof value.waitUntil === 'function'
  );
}

const fix =
  'Give the handler the request before anything reads its body, or read a copy: await request.clone().json().';

const noRequest =
  'The webhook handler was not given a Fetch Request. SvelteKit and Remix pass an event that holds it: ' +
  '({ request }) => handle(request). In Express, Fastify, Koa and the like, use the adapter of that framework.';
