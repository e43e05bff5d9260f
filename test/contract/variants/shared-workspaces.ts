import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer, type SpecGaps } from 'messaging-automation/server';
import { ManualClock } from '../../server/support/manual-clock.js';
import { Receiver } from '../receiver.js';
import type { CreateWorld } from '../world.js';
import { deliver } from '../worlds/in-process.js';
import { templates } from '../worlds/reference.js';

/** Two replicas with their switches set, without sockets. Each world is a workspace of theirs. */
export interface SharedWorkspaces extends AsyncDisposable {
  readonly createWorld: CreateWorld;
}

let pairs = 0;
let receivers = 0;

/** Opens two replicas over the database. Each request goes to the one that did not get the one before. */
export async function openSharedWorkspaces(
  connectionString: string,
  specGaps: Partial<SpecGaps>,
): Promise<SharedWorkspaces> {
  pairs += 1;
  const machine = new ManualClock();
  const receiversByHost = new Map<string, Receiver>();
  const open = () =>
    createReferenceServer({
      workspaceId: `variant_${process.pid}_${pairs}`,
      specGaps,
      clock: 'frozen',
      systemClock: machine,
      store: postgresStore({ connectionString, poolSize: 4 }),
      fetch: (input, init) => {
        const request = new Request(input, init);
        const receiver = receiversByHost.get(new URL(request.url).host);
        if (receiver === undefined) throw new TypeError('No world has this receiver.');
        return deliver(receiver, request);
      },
    });
  const servers = [open(), open()] as const;
  await Promise.all(servers.map((server) => server.settled()));
  let requests = 0;
  return {
    async createWorld(options) {
      receivers += 1;
      const receiver = new Receiver(`https://receiver-${receivers}.example.test`);
      receiversByHost.set(new URL(receiver.url).host, receiver);
      const workspace = servers[0].workspace({ ...options, templates });
      const other = servers[1].workspace();
      await Promise.all([workspace.settled(), other.settled()]);
      return {
        baseUrl: 'https://api.example.test/api',
        apiKey: workspace.apiKey,
        otherApiKey: other.apiKey,
        receiver,
        fetch: (url, init) => {
          requests += 1;
          return servers[requests % 2 === 0 ? 0 : 1].fetch(new Request(url, init));
        },
        async inboundMessage(message) {
          await workspace.simulate.inboundMessage(message);
        },
        settled: () => workspace.settled(),
        async advance(milliseconds) {
          machine.pass(milliseconds);
          await workspace.clock.advance(milliseconds);
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
