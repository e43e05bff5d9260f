import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createReferenceServer } from '../../../dist/server.js';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';
import { apiKey } from '../../server/processes/api-key.js';
import { callServer, subscribe } from '../../server/processes/call.js';
import { receiveSteadily } from '../../server/processes/steady-messages.js';
import { storeOptions, storeVariables } from '../../server/processes/store.js';
import { type Crowd, fill, fillBacklog, fillWorkspace } from './fill-store.js';

/** A server over a store that holds what `process.argv[2]` says, as JSON, beside two workspaces that work. */
const crowd: Crowd = JSON.parse(process.argv[2] ?? '');
const { [storeVariables.url]: connectionString, [storeVariables.schema]: schema = '' } = process.env;
const server = createReferenceServer({
  apiKey,
  segments: [{ id: 'buyers', event: 'order_placed', atLeast: 1 }],
  ...(await storeOptions()),
});
const neighbourKey = 'key_of_the_neighbour';
const neighbour = server.workspace({ apiKey: neighbourKey });
const client = new pg.Client({ connectionString });
await client.connect();

await subscribe(server, apiKey, crowd.url);
await subscribe(server, neighbourKey, crowd.url);
await server.simulate.inboundMessage({ phone: '+15550000000', body: 'the sample' });
await server.settled();
await fill(client, schema, server.id, crowd);

let turn = 0;
const member = () =>
  `contact_member_${1 + Math.floor(((turn++ * 0.618_033_988_749_895) % 1) * crowd.members)}`;

const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  'a message, until it is delivered': async () => {
    await server.simulate.inboundMessage({ phone: '+15550000000', body: `message ${turn++}` });
    await server.settled();
  },
  'an event, until its segment has it': async () => {
    await call('POST', '/api/v1/events', { event: 'order_placed', contactId: member() });
    await server.settled();
  },
  'a page of deliveries': () => call('GET', '/control/deliveries?status=delivered&limit=100'),
  'a page of contacts': () => call('GET', '/control/contacts?limit=100'),
  'a wait for a delivery that is there': () =>
    call('GET', '/control/deliveries?status=delivered&wait=1s&limit=1'),
};

answerQuestions(
  {},
  {
    async run(input) {
      const { operation, times } = Object(input);
      const work = operations[operation];
      if (work === undefined) throw new Error(`There is no operation ${operation}.`);
      const start = performance.now();
      for (let index = 0; index < times; index += 1) await work();
      return { wall: (performance.now() - start) / times };
    },
    /** What the server costs while nothing happens. */
    async idle(seconds) {
      const before = await database();
      const cpu = usedCpu();
      await wait(Number(seconds) * 1_000);
      const after = await database();
      return {
        cpu: (usedCpu() - cpu) / 1_000 / Number(seconds),
        transactions: (after.transactions - before.transactions) / Number(seconds),
        rows: (after.rows - before.rows) / Number(seconds),
      };
    },
    receive(input) {
      const { by, ...steady } = Object(input);
      return receiveSteadily(by === 'neighbour' ? neighbour : server, steady);
    },
    /** A receiver that was away is back, and so many deliveries are due. */
    async backlog(input) {
      const { url, count } = Object(input);
      await subscribe(server, apiKey, url);
      await fillBacklog(client, schema, server.id, url, count);
      return {};
    },
    /** The most memory that the process has had so far, in MB. */
    peak: () => ({ megabytes: process.resourceUsage().maxRSS / 1_024 }),
    async pending() {
      const rows = await count(`${schema}.deliveries where status = 'pending'`);
      const lagging = await count(
        `${schema}.workspaces w, ${schema}.lagging(w.number) where w.id = '${server.id}'`,
      );
      return { left: rows + lagging };
    },
    /** Adds a workspace with so many rows, and closes it. */
    async close(rows) {
      const large = server.workspace({ apiKey: 'key_of_the_large_one' });
      await large.quota.read();
      await fillWorkspace(client, schema, server.id, large.id, Number(rows));
      await call('DELETE', `/control/workspaces/${large.id}`);
      return {};
    },
    async deleted() {
      return { left: await count(`${schema}.deliveries where id like 'delivery\\_large\\_%'`) };
    },
  },
);

async function count(rows: string): Promise<number> {
  const {
    rows: [row],
  } = await client.query(`select count(*)::int as count from ${rows}`);
  return row.count;
}

async function database(): Promise<{ readonly transactions: number; readonly rows: number }> {
  // The statistics of other sessions come with the end of their transactions, or up to a second later.
  const {
    rows: [row],
  } = await client.query(
    `select xact_commit::int as transactions, (tup_returned + tup_fetched)::float8 as rows
     from pg_stat_database where datname = current_database()`,
  );
  return row;
}

async function call(method: string, path: string, body?: object): Promise<void> {
  await (await callServer(server, apiKey, method, path, body)).arrayBuffer();
}
