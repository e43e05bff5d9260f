import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { type ReceiverCore, toFetchHandler, toHonoHandler } from 'messaging-automation/webhooks';
import { type BodyState, listening } from '../support/environment.js';

/** Brings the body of a Fetch request into a state. */
export async function prepare(request: Pick<Request, 'json' | 'arrayBuffer'>, body: BodyState) {
  if (body === 'parsed') await request.json();
  if (body === 'consumed') await request.arrayBuffer();
}

function fetchHandlerOf(receiver: ReceiverCore<unknown>, body: BodyState) {
  const handle = toFetchHandler(receiver);
  return async (request: Request): Promise<Response> => {
    await prepare(request, body);
    return handle(request);
  };
}

/** Hono's adapter to Node. Kept from replacing the global Request, which other tests look at. */
export function onHonoServer(
  handle: (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>,
): RequestListener {
  const listener = getRequestListener(handle, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}

/** A Fetch handler behind a bridge as SvelteKit, Remix and Next.js have one: a Request of Node's own over the stream. */
export function bridged(handle: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const headers = new Headers();
    for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
      headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
    }
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers,
      // Node's own stream type, which is the one that its Request takes.
      body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
      duplex: 'half',
    } as RequestInit);
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  };
}

export const fixOfFetch = 'read a copy: await request.clone().json()';

export const fetchEnvironment = listening('Fetch', { fix: fixOfFetch }, (receiver, body) =>
  onHonoServer(fetchHandlerOf(receiver, body)),
);

export const bridgedEnvironment = listening('Fetch, bridged', { fix: fixOfFetch }, (receiver, body) =>
  bridged(fetchHandlerOf(receiver, body)),
);

export const honoEnvironment = listening('Hono', { fix: 'c.req.json()' }, (receiver, body) => {
  const app = new Hono();
  app.use(async (context, next) => {
    await prepare(context.req, body);
    await next();
  });
  return onHonoServer(app.all('/webhooks', toHonoHandler(receiver)).fetch);
});
