import { postgresStore } from 'messaging-automation/postgres';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
} from 'messaging-automation/server';

/** Servers that share a database, each on a socket. */
export interface Replicas extends AsyncDisposable {
  readonly servers: readonly [ReferenceServer, ReferenceServer];
  readonly baseUrls: readonly [string, string];
}

let services = 0;

/** Starts two replicas of a new service in the database. The first one begins with the seed. */
export async function startReplicas(
  connectionString: string,
  options: ReferenceServerOptions = {},
): Promise<Replicas> {
  services += 1;
  const common: ReferenceServerOptions = {
    apiKey: `key_of_service_${process.pid}_${services}`,
    workspaceId: `service_${process.pid}_${services}`,
    clock: 'frozen',
    now: '2026-01-01T09:00:00Z',
    fetch: async () => new Response(null, { status: 204 }),
    ...options,
  };
  const start = () =>
    createReferenceServer({ ...common, store: postgresStore({ connectionString, poolSize: 4 }) });
  const servers = [start(), start()] as const;
  const listening = [await servers[0].listen(), await servers[1].listen()] as const;
  return {
    servers,
    baseUrls: [listening[0].baseUrl, listening[1].baseUrl],
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
