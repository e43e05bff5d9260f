import { createReferenceServer, type ReferenceServer } from '../../../dist/server.js';
import { subscribe } from './call.js';
import { storeOptions } from './store.js';

/** A server whose messages are delivered to each of the URLs. */
export async function createSubscribedServer(urls: readonly string[]): Promise<ReferenceServer> {
  const server = createReferenceServer(await storeOptions());
  for (const url of urls) await subscribe(server, server.apiKey, url);
  return server;
}
