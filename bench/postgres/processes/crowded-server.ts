import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createReferenceServer } from '../../../dist/server.js';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';
import { apiKey } from '../../server/processes/api-key.js';
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

await subscribe(apiKey, crowd.url);
await subscribe(neighbourKey, crowd.url);
await server.simulate.inboundMessage({ phone: '+15550000000', body: 'the sample' });
await server.settled();
await fill(client, schema, server.id, crowd);

const now = () => Number(process.hrtime.bigint()) / 1e6;
let turn = 0;
const member = () =>
  `contact_member_${1 + Math.floor(((turn++ * 0.618_033_988_749_895) % 1) * crowd.members)}`;

const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  'a message, until it is delivered': async () => {
    await server.simulate.inboundMessage({ phone: '+15550000000', body: `message ${turn++}` });
    await server.settled();
  },
  'an event, until its segment has it': async () => {
    await call(apiKey, 'POST', '/api/v1/events', { event: 'order_placed', contactId: member() });
    await server.settled();
  },
  'a page of deliveries': () => call(apiKey, 'GET', '/control/deliveries?status=delivered&limit=100'),
  'a page of contacts': () => call(apiKey, 'GET', '/control/contacts?limit=100'),
  'a wait for a delivery that is there': () =>
    call(apiKey, 'GET', '/control/deliveries?status=delivered&wait=1s&limit=1'),
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
    /** Takes in messages at a steady pace, and tells when each was due. */
    async receive(input) {
      const { messages, interval, name, by } = Object(input);
      const workspace = by === 'neighbour' ? neighbour : server;
      const due: Record<string, number> = {};
      const start = now() + interval;
      for (let index = 0; index < messages; index += 1) {
        const time = start + index * interval;
        if (time > now()) await wait(time - now());
        due[`${name} ${index}`] = time;
        await workspace.simulate.inboundMessage({ phone: '+15551234567', body: `${name} ${index}` });
      }
      return due;
    },
    /** A receiver that was away is back, and so many deliveries are due. */
    async backlog(input) {
      const { url, count } = Object(input);
      await subscribe(apiKey, url);
      await fillBacklog(client, schema, server.id, url, count);
      return {};
    },
    async pending() {
      return { left: await count(`${schema}.deliveries where status = 'pending'`) };
    },
    /** Adds a workspace with so many rows, and closes it. */
    async close(rows) {
      const large = server.workspace({ apiKey: 'key_of_the_large_one' });
      await large.quota.read();
      await fillWorkspace(client, schema, server.id, large.id, Number(rows));
      await call(apiKey, 'DELETE', `/control/workspaces/${large.id}`);
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

async function subscribe(key: string, url: string): Promise<void> {
  await call(key, 'POST', '/api/v1/webhooks', { url, events: ['message.received'] });
}

async function call(key: string, method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await server.fetch(
    new Request(`http://localhost${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
