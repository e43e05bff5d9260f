import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer, type SpecGaps } from 'messaging-automation/server';
import { afterAll, beforeAll, describe } from 'vitest';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { ManualClock } from '../server/support/manual-clock.js';
import type { CreateEnvironment } from './environment.js';
import { fixturesIn, templates } from './environments/reference.js';
import { deliver, Receiver } from './receiver.js';
import { describeContract } from './suite.js';
import type { Variant } from './variants.js';

/** Two replicas with their gaps set, on real sockets. Each environment is a workspace of theirs. */
interface Replicas extends AsyncDisposable {
  readonly createEnvironment: CreateEnvironment;
}

let pairs = 0;
let receivers = 0;

/** Opens two replicas over the database. Each request goes to the one that did not get the one before. */
async function openReplicas(connectionString: string, specGaps: Partial<SpecGaps>): Promise<Replicas> {
  pairs += 1;
  const machine = new ManualClock();
  const receiversByHost = new Map<string, Receiver>();
  const open = () =>
    createReferenceServer({
      workspaceId: `replicas_${process.pid}_${pairs}`,
      specGaps,
      clock: 'frozen',
      systemClock: machine,
      store: postgresStore({ connectionString, poolSize: 4 }),
      fetch: (input, init) => {
        const request = new Request(input, init);
        const receiver = receiversByHost.get(new URL(request.url).host);
        if (receiver === undefined) throw new TypeError('No environment has this receiver.');
        return deliver(receiver, request);
      },
    });
  const servers = [open(), open()] as const;
  await Promise.all(servers.map((server) => server.settled()));
  const [first, second] = await Promise.all(servers.map((server) => server.listen({ port: 0 })));
  const baseUrl = first?.baseUrl ?? '';
  let requests = 0;
  return {
    async createEnvironment(options) {
      receivers += 1;
      const receiver = new Receiver(`https://receiver-${receivers}.example.test`);
      receiversByHost.set(new URL(receiver.url).host, receiver);
      const workspace = servers[0].workspace({ ...options, templates });
      const other = servers[1].workspace();
      await Promise.all([workspace.settled(), other.settled()]);
      return {
        ...fixturesIn(workspace, machine),
        baseUrl,
        otherApiKey: other.apiKey,
        receiver,
        fetch: (url, init) => {
          requests += 1;
          return fetch(requests % 2 === 0 ? url : url.replace(baseUrl, second?.baseUrl ?? ''), init);
        },
        async close() {
          await Promise.all([workspace.close(), other.close()]);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Tests the contract at two replicas over a database, with each of these settings. */
export function describeReplicas(some: readonly Variant[]): void {
  describe.skipIf(missingPostgres)('two replicas over PostgreSQL', () => {
    const postgres = usePostgres();

    for (const { name, specGaps } of some) {
      describe(`with ${name}`, () => {
        let replicas: Replicas;

        beforeAll(async () => {
          replicas = await openReplicas(postgres().connectionString, specGaps);
        });

        afterAll(() => replicas[Symbol.asyncDispose]());

        describeContract(`with ${name}`, (options) => replicas.createEnvironment(options), specGaps);
      });
    }
  });
}
