import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, test } from 'vitest';
import { phone, startServer } from '../support/reference.js';
import { control, controlOperations } from './support.js';

/** Values of which one or the other has broken a server somewhere. */
const awkward: readonly string[] = [
  'null',
  '[]',
  '{}',
  '0',
  '1e400',
  '8640000000000000',
  '"99999999999d"',
  '"2026-02-30"',
  '"-271821-04-20T00:00:00.000Z"',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '{"__proto__":1}',
  `"${phone}"`,
  '"any"',
  '"stall"',
  '"http://127.0.0.1:1/"',
  '["message.received"]',
  JSON.stringify('x'.repeat(10_000)),
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
];

const fields = [
  'by',
  'to',
  'phone',
  'body',
  'type',
  'operation',
  'delivery',
  'fault',
  'kind',
  'nth',
  'duration',
];
const seedFields = [
  'url',
  'events',
  'secret',
  'version',
  'takenAt',
  'workspace',
  'contacts',
  'now',
  'quota',
  'clock',
];

test.each([1, 2, 3])('nothing that comes to a control path breaks the server: seed %i', async (seed) => {
  const generator = xoroshiro128plus(seed);
  const oneOf = <Item>(items: readonly Item[]): Item => {
    const item = items[uniformInt(generator, 0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to choose from.');
    return item;
  };
  const object = (depth: number): string => {
    const entries = Array.from({ length: uniformInt(generator, 0, 3) }, () => {
      const value = depth > 0 && uniformInt(generator, 0, 2) === 0 ? object(depth - 1) : oneOf(awkward);
      return `${JSON.stringify(oneOf([...fields, ...seedFields]))}:${value}`;
    });
    return `{${entries.join(',')}}`;
  };
  const failures: unknown[] = [];
  const server = startServer({
    contacts: [{ phone }],
    log: (entry) => entry.type === 'error' && failures.push(entry.message),
  });
  // The stream goes on without an end; its tests are in stream.test.ts.
  const paths = (await controlOperations(server))
    .filter(({ path }) => path !== '/control/stream')
    .map(({ method, path }) => [method, path.replace('/control', '')] as const);
  expect(paths.length).toBeGreaterThan(40);
  const ask = control(server);
  // What a request does to its key must not end the others.
  const askByOwnKey = async () => control(server, { apiKey: await server.keys.issue() });
  for (let request = 0; request < 500; request += 1) {
    const [method, path] = oneOf(paths);
    const id = oneOf(['x', '%00', '%ff', '..%2f', 'fault_1', '__proto__']);
    const search =
      uniformInt(generator, 0, 3) === 0
        ? `?${oneOf(['type', 'phone', 'since', 'limit', 'cursor', 'status', 'contact', 'property', 'templateId'])}=${encodeURIComponent(oneOf(awkward))}`
        : '';
    const body = method === 'GET' || method === 'DELETE' ? undefined : oneOf([object(2), oneOf(awkward)]);
    const asked = path.startsWith('/api-keys') ? await askByOwnKey() : ask;
    const { status } = await asked(method, path.replace(/\{\w+\}/, id) + search, body);
    expect({ method, path, body: body?.slice(0, 500), status, failures }).toMatchObject({ failures: [] });
    expect(status).toBeLessThan(500);
  }

  expect((await ask('GET', '/clock')).status).toBe(200);
});
