import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Redis } from 'ioredis';
import { createDedupeStore } from 'messaging-automation/webhooks';
import { afterAll, beforeAll, describe } from 'vitest';
import { HandledDeliveries } from '../../examples/dedupe-stores/durable-object.js';
import { type DynamoDbDocuments, dynamoDb } from '../../examples/dedupe-stores/dynamodb.js';
import { upstash } from '../../examples/dedupe-stores/upstash.js';
import { listsEntries } from '../key-value/store-checks.js';
import { notRun } from '../run/debian.js';
import { shared } from '../run/shared.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { keepsThePromises } from '../webhooks/dedupe/conformance.js';
import { objectStorage } from './object-storage.js';

const server = await shared('redis');
const suffix = 'missing' in server ? notRun("the store over Upstash's REST API", server.missing) : '';

describe.runIf('url' in server)(`the store over Upstash's REST API${suffix}`, () => {
  let redis: Redis;
  let bridge: Server;
  let url: string;
  let stores = 0;
  const unique = crypto.randomUUID();

  beforeAll(async () => {
    if ('missing' in server) return;
    redis = new Redis(server.url, { lazyConnect: true });
    await redis.connect();
    // The service's way: a command as a JSON array, its reply as `result`, or `error` with 400.
    bridge = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const isKnown = request.headers.authorization === 'Bearer token';
      const received = isKnown ? await run(JSON.parse(body)) : { status: 401, error: 'Unauthorized' };
      const { status, ...content } = received;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
    }).listen(0, '127.0.0.1');
    await once(bridge, 'listening');
    const address = bridge.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });

  async function run([command, ...words]: [string, ...string[]]) {
    try {
      return { status: 200, result: await redis.call(command, ...words) };
    } catch (error) {
      return { status: 400, error: String(error) };
    }
  }

  afterAll(async () => {
    bridge?.close();
    bridge?.closeAllConnections();
    redis?.disconnect();
  });

  function createStore() {
    stores += 1;
    const scope = `${unique} store ${stores}:`;
    return {
      store: upstash({ url, token: 'token' }),
      scope,
      pass: async (milliseconds: number) => {
        for (const key of await redis.keys(`${scope}*`)) {
          await redis.pexpire(key, (await redis.pttl(key)) - milliseconds);
        }
      },
    };
  }

  keepsThePromises(() => {
    const { store, scope, pass } = createStore();
    return { store: createDedupeStore(store, { prefix: scope }), pass };
  });

  listsEntries(createStore);
});

describe('the store over DynamoDB', () => {
  function createStore() {
    const clock = new ManualClock();
    const store = dynamoDb(documentsInMemory(), 'deliveries', () => clock.now());
    return { store, pass: (length: number) => clock.pass(length) };
  }

  keepsThePromises(() => {
    const { store, pass } = createStore();
    return { store: createDedupeStore(store), pass };
  });

  listsEntries(createStore);
});

describe('the store over a Durable Object', () => {
  keepsThePromises(() => {
    const clock = new ManualClock();
    const object = new HandledDeliveries({ storage: objectStorage() }, () => clock.now());
    return { store: createDedupeStore(object), pass: (length) => clock.pass(length) };
  });
});

/** How many items a page of a scan has. */
const pageSize = 700;

/** Items under conditions, as the service judges them: each write in one step, and no item goes away by itself. */
function documentsInMemory(): DynamoDbDocuments {
  type Write = Parameters<DynamoDbDocuments['delete']>[0];
  const items = new Map<unknown, Record<string, unknown>>();
  const write = async (key: unknown, input: Omit<Write, 'Key'>, change: () => void) => {
    await Promise.resolve(); // it arrives later, in whatever order
    if (input.ConditionExpression !== undefined && !isMet(input.ConditionExpression, input, items.get(key))) {
      throw Object.assign(new Error('The conditional request failed'), {
        name: 'ConditionalCheckFailedException',
      });
    }
    change();
  };
  return {
    get: async ({ Key }) => ({ Item: items.get(Key.key) }),
    put: (input) => write(input.Item.key, input, () => void items.set(input.Item.key, input.Item)),
    delete: (input) => write(input.Key.key, input, () => void items.delete(input.Key.key)),
    async scan({ FilterExpression, ExclusiveStartKey, ...input }) {
      const keys = [...items.keys()];
      const start = ExclusiveStartKey === undefined ? 0 : keys.indexOf(ExclusiveStartKey.key) + 1;
      const page = keys.slice(start, start + pageSize);
      const found = page.map((key) => items.get(key) ?? {});
      return {
        Items: found.filter((item) => isMet(FilterExpression, input, item)),
        // As the service's: a full page may be the last one.
        LastEvaluatedKey: page.length === pageSize ? { key: page.at(-1) } : undefined,
      };
    },
  };
}

/** The part of the expressions' language that is needed: OR of AND of comparisons and `attribute_not_exists`. */
function isMet(
  expression: string,
  {
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
  }: Pick<
    Parameters<DynamoDbDocuments['delete']>[0],
    'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  >,
  item: Record<string, unknown> | undefined,
): boolean {
  const read = (name = '') => item?.[names[name] ?? name];
  return expression.split(' OR ').some((alternative) =>
    alternative.split(' AND ').every((term) => {
      const absent = /^attribute_not_exists\((\S+)\)$/.exec(term);
      if (absent !== null) return read(absent[1]) === undefined;
      const [, name, operator, value] = /^(\S+) (=|<=|>) (:\w+)$/.exec(term) ?? [];
      if (value === undefined) throw new Error(`Invalid ConditionExpression: ${term}`);
      const [left, right] = [read(name), values[value]];
      if (left === undefined) return false;
      if (operator === '=') return left === right;
      return operator === '>' ? Number(left) > Number(right) : Number(left) <= Number(right);
    }),
  );
}
