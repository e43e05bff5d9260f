import type { ReceivedRequest, ReceiverCore } from '../receiver/exchange.js';
import { checkReceiver } from './check-receiver.js';
import { type ReceivedByFetch, receiveByFetch } from './fetch.js';
import { whenWritten } from './node.js';
import type { NodeRequest, NodeResponse } from './node-exchange.js';
import { headersFor } from './unfinished-request.js';

/**
 * The part of Hono's context that the adapter reads.
 */
export type HonoContext = {
  readonly req: { readonly raw: Request };
  /** On Node.js, `@hono/node-server` puts the request and the response of `node:http` here. */
  readonly env?: unknown;
  /** Hono's getter throws if the runtime has no execution context. */
  readonly executionCtx: {
    /** Keeps the runtime from ending before the work is done. */
    waitUntil(work: Promise<unknown>): void;
  };
};

/**
 * Converts a receiver into a Hono handler, on any runtime. A `secret` function and every event handler receive Hono's context, with
 * `context.req.param()` and `context.env`: on Workers, `secret: (context: Context<Environment>) => context.env.WEBHOOK_SECRET`.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns A handler for `app.post(path, …)`, or for `app.all`: it responds to a wrong method itself.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, toHonoHandler } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * const handle = toHonoHandler(receiver); // app.all('/webhooks', handle)
 *
 * const raw = new Request('https://example.com/webhooks', { method: 'POST', body: '{}' });
 * const context = { req: { raw }, executionCtx: { waitUntil: () => undefined } };
 * console.log((await handle(context)).ok); // false: it was not signed
 * ```
 */
export function toHonoHandler<Context extends HonoContext>(
  receiver: ReceiverCore<Context>,
): (context: Context) => Promise<Response> {
  checkReceiver('toHonoHandler', receiver);
  return (context) =>
    receiveByFetch(receiver, {
      raw: context.req.raw,
      request: context,
      fix,
      waitUntil: waitUntilOf(context),
      ...onNode(context),
    });
}

function waitUntilOf(context: HonoContext): ReceivedRequest<unknown>['waitUntil'] {
  try {
    const { executionCtx } = context;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return undefined; // Node, Bun and Deno have none and need none, because their process continues.
  }
}

/** What can be done where the application runs in `@hono/node-server`, which gives it the request and the response of Node. */
function onNode({ env }: HonoContext): Pick<ReceivedByFetch<unknown>, 'onWritten' | 'headersOf'> {
  const { incoming, outgoing }: { incoming?: NodeRequest; outgoing?: NodeResponse } = Object(env);
  if (typeof incoming?.on !== 'function' || typeof outgoing?.once !== 'function') return {};
  return {
    onWritten: (listener) => whenWritten(outgoing, listener),
    headersOf: (response) => headersFor(response, incoming, outgoing),
  };
}

const fix =
  'In Hono, register the receiver ahead of validators and middleware that call c.req.json(), text(), parseBody() ' +
  'or arrayBuffer(), or keep them off its path.';
