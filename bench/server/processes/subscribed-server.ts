import { createReferenceServer, type ReferenceServer } from '../../../dist/server.js';
import { storeOptions } from './store.js';

/** A server whose messages are delivered to each of the URLs. */
export async function createSubscribedServer(urls: readonly string[]): Promise<ReferenceServer> {
  const server = createReferenceServer(await storeOptions());
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
  for (const url of urls) {
    const body = JSON.stringify({ url, events: ['message.received'] });
    const request = new Request('http://localhost/api/v1/webhooks', { method: 'POST', headers, body });
    const response = await server.fetch(request);
    if (response.status !== 201) throw new Error(await response.text());
  }
  return server;
}
