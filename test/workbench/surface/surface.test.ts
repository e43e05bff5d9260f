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

const repeated = {
  type: 'request',
  number: 1,
  at: 0,
  requestId: 'request_1',
  operation: 'contacts.find',
  method: 'GET',
  path: '/api/v1/contacts/find?phone=%2B1%205',
} as const;

test('a request of the journal is sent again with the same path, bytes and type, and with the key of the page', async () => {
  const asked = respondToRequests(() => new Response('no JSON', { status: 422 }));
  const body = '{"phone": "+1555';
  const headers = [
    ['Authorization', '***'],
    ['content-type', 'text/plain'],
  ] as const;
  expect(await surface.repeat(repeated)).toBe(422);
  await surface.repeat({ ...repeated, method: 'POST', path: '/api/v1/contacts', body, headers });
  await surface.repeat({ ...repeated, method: 'POST', path: '/api/v1/contacts', body });
  const sent = asked.map(async (request) => [
    request.method,
    request.url,
    request.headers.get('Authorization'),
    request.headers.get('Content-Type'),
    await request.text(),
  ]);
  const contacts = 'http://workbench.test/api/v1/contacts';
  expect(await Promise.all(sent)).toEqual([
    ['GET', `${contacts}/find?phone=%2B1%205`, 'Bearer test_key', null, ''],
    ['POST', contacts, 'Bearer test_key', 'text/plain', body],
    ['POST', contacts, 'Bearer test_key', 'application/json', body],
  ]);
});

test('a request that is sent again and has no response says what can be the reason', async () => {
  respondToRequests(() => Promise.reject(new TypeError('fetch failed')));
  await expect(surface.repeat(repeated)).rejects.toThrow(
    'The server does not respond. Is `serve` still running?',
  );
});
