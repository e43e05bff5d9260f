import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import type { CreateWorld } from '../world.js';
import { createSeededServer } from './reference.js';
import { listeningReceiver } from './socket.js';

let worlds = 0;

/**
 * Two reference servers on real sockets over one database, and a real receiver beside them. Each request goes to the server that
 * did not get the one before.
 *
 * @param databaseUrl - Gives the URL of the database. Its schema is that of all worlds.
 */
export function replicasOver(databaseUrl: () => string): CreateWorld {
  return async (options) => {
    worlds += 1;
    const workspaceId = `workspace_${process.pid}_${worlds}`;
    const openStore = () => postgresStore({ connectionString: databaseUrl(), poolSize: 4 });
    const { server, hands } = createSeededServer(options, { store: openStore(), workspaceId });
    const { baseUrl } = await server.listen({ port: 0 });
    // It finds the workspace in the store, so its seed does not matter.
    const other = createReferenceServer({ store: openStore(), workspaceId, apiKey: server.apiKey });
    const addresses = [baseUrl, (await other.listen({ port: 0 })).baseUrl] as const;
    const { receiver, close } = await listeningReceiver();
    let requests = 0;
    return {
      ...hands,
      baseUrl,
      receiver,
      fetch: (url, init) => {
        requests += 1;
        return fetch(url.replace(baseUrl, addresses[requests % 2] ?? baseUrl), init);
      },
      async close() {
        await Promise.all([server.close(), other.close()]);
        await close();
      },
    };
  };
}
