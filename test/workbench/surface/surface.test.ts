import { expect, test } from 'vitest';
import { control } from '../../../src/workbench/surface/operations.js';
import { Surface } from '../../../src/workbench/surface/surface.js';
import { respondToRequests } from '../requests.js';

const surface = new Surface('test_key');

test('a request has the key, an encoded path and only the parameters with a value', async () => {
  const asked = respondToRequests(() => Response.json({ data: [] }));
  await surface.control(control.journal.segmentMembers, { path: { id: 'a/b?c' } });
  await surface.control(control.contacts.list, { query: { limit: 2, cursor: undefined } });
  expect(asked.map(({ url }) => url)).toEqual([
    'http://workbench.test/control/segments/a%2Fb%3Fc/members',
    'http://workbench.test/control/contacts?limit=2',
  ]);
  expect(asked.map(({ headers }) => headers.get('Authorization'))).toEqual(Array(2).fill('Bearer test_key'));
});

test.each([
  ['', 'The server responded with 502.'],
  ['{"error":{"message":"Invalid"}}', 'Invalid'],
])('the refusal %j has a message for the person', async (body, message) => {
  respondToRequests(() => new Response(body, { status: 502 }));
  await expect(surface.control(control.clock.now)).rejects.toThrow(message);
});
