import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentOf } from '../support/openapi.js';
import { phone, startServer } from '../support/reference.js';
import { control, controlOperations } from './support.js';

/** Values of which one or the other has broken a server somewhere. */
const awkward: readonly string[] = [
  'null',
  '[]',
  '{}',
  '0',
  '-1',
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
];

/** The names of all fields in a document. */
function fieldsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === 'properties' ? Object.keys(inner) : []),
    ...fieldsIn(inner),
  ]);
}

test('nothing that comes to a control path breaks the server', async () => {
  const failures: unknown[] = [];
  const server = startServer({
    contacts: [{ phone }],
    log: (entry) => entry.type === 'error' && failures.push(entry.message),
  });
  // The stream goes on without an end; its tests are in stream.test.ts.
  const operations = (await controlOperations(server)).filter(({ path }) => path !== '/control/stream');
  expect(operations.length).toBeGreaterThan(40);
  const fields = new Set(fieldsIn(await documentOf(server, '/control/openapi.json')));
  // The text of an object whose fields have awkward values, or are such objects.
  const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 2 }, fc.constantFrom(...awkward), tie('object')),
    object: fc
      .dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 3 })
      .map((entries) => `{${Object.entries(entries).map(([name, value]) => `"${name}":${value}`)}}`),
  }));
  const search = fc
    .tuple(fc.constantFrom(...fields), fc.constantFrom(...awkward))
    .map(([name, value]) => `?${name}=${encodeURIComponent(value)}`);
  const request = fc.record({
    operation: fc.constantFrom(...operations),
    id: fc.constantFrom('x', '%00', '%ff', '..%2f', 'fault_1', '__proto__'),
    search: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, search),
    body: fc.oneof(object, fc.constantFrom(...awkward)),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ operation: { method, path }, id, search, body }) => {
      // What a request does to its key must not end the others.
      const key = path.includes('/api-keys') ? { apiKey: await server.keys.issue() } : server;
      const address = path.replace('/control', '').replace(/\{\w+\}/, id) + search;
      const sent = method === 'GET' || method === 'DELETE' ? undefined : body;
      const { status } = await control(server, key)(method, address, sent);
      expect(failures).toEqual([]);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 1_500 },
  );
  expect((await control(server)('GET', '/clock')).status).toBe(200);
});
