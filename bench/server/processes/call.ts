import type { ReferenceServer } from '../../../dist/server.js';

/** Calls a server without a socket, and throws unless it succeeds. */
export async function callServer(
  server: ReferenceServer,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await server.fetch(
    new Request(`http://localhost${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Makes the workspace of the key deliver its messages to a URL. */
export async function subscribe(server: ReferenceServer, apiKey: string, url: string): Promise<void> {
  await callServer(server, apiKey, 'POST', '/api/v1/webhooks', { url, events: ['message.received'] });
}
