import type {
  ReferenceServer,
  ReferenceServerOptions,
  RequestFault,
  ServerLogEntry,
} from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { phone, startServer } from '../support/reference.js';

/** What a fault of the kind `drift` says besides its kind. */
type Drift = Omit<Extract<RequestFault, { readonly kind: 'drift' }>, 'kind'>;

const asked = async (
  server: ReferenceServer,
  method = 'GET',
  path = `/v1/contacts/find?phone=%2B15551234567`,
) => {
  const headers = { Authorization: `Bearer ${server.apiKey}` };
  const response = await server.fetch(new Request(`http://localhost/api${path}`, { method, headers }));
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** A workspace with one contact, `contact_1`, whose responses a fault strikes. */
const struckBy = (fault: RequestFault, options: ReferenceServerOptions = {}) =>
  startServer({
    contacts: [{ phone, properties: { visits: 3, tags: ['vip'] } }],
    newId: (kind) => `${kind}_1`,
    ...options,
    faults: [{ operation: 'any', fault }],
  });

describe('a status', () => {
  const json = 'application/json; charset=utf-8';
  const failure = (code: string) => ({
    error: { code, message: 'A fault rule or header injected this error.' },
  });
  const bodies: readonly (readonly [Partial<RequestFault & { kind: 'status' }>, string | null, unknown])[] = [
    [{}, json, failure('internal_error')],
    [{ status: 502 }, json, failure('injected_fault')],
    [{ status: 402 }, json, failure('quota_exceeded')],
    [{ code: 'maintenance' }, json, failure('maintenance')],
    [{ body: { anything: null } }, json, { anything: null }],
    [{ body: 'Bad gateway' }, 'text/plain; charset=utf-8', 'Bad gateway'],
    [{ body: '<h1>', headers: { 'Content-Type': 'text/html' } }, 'text/html', '<h1>'],
    [{ status: 304, body: 'nothing' }, null, ''],
  ];

  test.each(bodies)('%o', async (fault, type, body) => {
    const { status, headers, text } = await asked(struckBy({ kind: 'status', status: 500, ...fault }));
    expect(status).toBe(fault.status ?? 500);
    expect(headers.get('content-type')).toBe(type);
    expect(type === json ? JSON.parse(text) : text).toEqual(body);
  });

  test('after the commit leaves what was done', async () => {
    const server = struckBy({ kind: 'status', status: 500, when: 'after_commit' });
    expect((await asked(server, 'DELETE', '/v1/contacts/contact_1')).status).toBe(500);
    await server.faults.clear();
    expect((await asked(server)).status).toBe(404);
  });
});

describe('drift', () => {
  const contact = { id: 'contact_1', properties: { visits: 3, tags: ['vip'], phone } };
  const withProperty = (property: object) => ({
    ...contact,
    properties: { ...contact.properties, ...property },
  });
  const { id, properties } = contact;
  const drifts: readonly (readonly [Drift, unknown])[] = [
    [{ change: 'remove', field: 'id' }, { properties }],
    [
      { change: 'remove', field: 'properties.phone' },
      { id, properties: { visits: 3, tags: ['vip'] } },
    ],
    [
      { change: 'rename', field: 'id' },
      { renamed_id: id, properties },
    ],
    [
      { change: 'retype', field: 'id' },
      { id: { text: id }, properties },
    ],
    [
      { change: 'retype', field: 'properties' },
      { id, properties: 42 },
    ],
    [{ change: 'retype', field: 'properties.visits' }, withProperty({ visits: { was: 'number' } })],
    [
      { change: 'add', field: 'id' },
      { ...contact, beside_id: 'an unknown field' },
    ],
    [
      { change: 'unknown_value', field: 'properties.tags[0]' },
      withProperty({ tags: ['a_value_that_nobody_knows'] }),
    ],
    // Where there is nothing to change, nothing is changed.
    [{ field: 'name' }, contact],
    [{ change: 'unknown_value', field: 'properties' }, contact],
    [{ change: 'remove', field: 'properties.tags[0]' }, contact],
  ];

  test.each(drifts)('%o', async (drift, body) => {
    const { status, text } = await asked(struckBy({ kind: 'drift', ...drift }));
    expect([status, JSON.parse(text)]).toEqual([200, body]);
  });

  test('that is not told is drawn, and the same at each run', async () => {
    const bodies = await Promise.all([1, 2].map(async () => (await asked(struckBy({ kind: 'drift' }))).text));
    expect(bodies[0]).toBe(bodies[1]);
    expect(JSON.parse(bodies[0] ?? '')).not.toEqual(contact);
  });

  test('leaves a response without a body as it is', async () => {
    const { status, text } = await asked(struckBy({ kind: 'drift' }), 'DELETE', '/v1/contacts/contact_1');
    expect([status, text]).toEqual([204, '']);
  });
});

test('drift leaves a response that is no JSON as it is', async () => {
  const server = struckBy({ kind: 'drift' }, { specGaps: { errorBody: 'text' } });
  const { status, text } = await asked(server, 'GET', '/v1/contacts/unknown');
  expect(status).toBe(404);
  expect(text).toMatch(/^\w/);
  expect(await server.journal.find('request')).toMatchObject([
    { responseBody: text, faults: [{ kind: 'drift' }] },
  ]);
});

test('a stall gives half of the body, and is over when the reader gives up', async () => {
  const server = struckBy({ kind: 'stall' });
  const headers = { Authorization: `Bearer ${server.apiKey}` };
  const { body } = await server.fetch(new Request('http://localhost/api/v1/templates', { headers }));
  const reader = body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{"dat');
  await reader?.cancel();
  await server.close();
});

test('what is injected is in the journal at once, with its request when that is over, and in the log', async () => {
  const log: ServerLogEntry[] = [];
  const fault: RequestFault = { kind: 'reset', when: 'after_commit' };
  const server = struckBy(fault, { log: (entry) => log.push(entry) });
  await expect(asked(server)).rejects.toThrow(new TypeError('fetch failed'));
  expect(await server.journal.entries()).toEqual([
    { type: 'fault', at: server.clock.now(), fault, operation: 'contacts.find', requestId: 'request_1' },
    expect.objectContaining({ type: 'request', requestId: 'request_1', faults: [fault] }),
  ]);
  expect(log).toEqual([
    {
      type: 'request',
      time: expect.any(String),
      requestId: 'request_1',
      method: 'GET',
      path: '/api/v1/contacts/find',
      faults: ['reset'],
    },
  ]);
});
