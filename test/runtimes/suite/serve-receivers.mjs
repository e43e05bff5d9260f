// Serves the receivers as each runtime that runs programs serves its users'.
import { fetchApp, nodeApp } from './receiver-app.mjs';

/** A function that sends to the receivers, or to a handler of Fetch, over a socket, and one that ends them. */
export async function serveReceivers(webhooks, handler = fetchApp(webhooks)) {
  const { origin, close } = await open(webhooks, handler);
  return { send: (path, init) => fetch(`${origin}${path}`, init), close };
}

/** The same by Elysia, which is made for Bun. */
export async function serveByElysia(webhooks) {
  const { Elysia } = await import('elysia');
  const handle = fetchApp(webhooks);
  const app = new Elysia()
    .all('/*', ({ request }) => handle(request), { parse: 'none' })
    .listen({ hostname: '127.0.0.1', port: 0 });
  const { origin } = app.server.url;
  return { send: (path, init) => fetch(`${origin}${path}`, init), close: () => app.stop(true) };
}

async function open(webhooks, handler) {
  if (globalThis.Bun !== undefined) {
    const server = globalThis.Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handler });
    return { origin: server.url.origin, close: () => server.stop(true) };
  }
  if (globalThis.Deno !== undefined) {
    const options = { hostname: '127.0.0.1', port: 0, onListen: () => undefined };
    const server = globalThis.Deno.serve(options, handler);
    return { origin: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
  }
  const { createServer } = await import('node:http');
  const server = createServer(nodeApp(webhooks));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}
