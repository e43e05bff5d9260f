import { expect, test } from 'vitest';
import {
  askWith,
  field,
  otherPhone,
  phone,
  refusal,
  startServer,
  startWithApi,
} from '../support/reference.js';

test('a contact keeps every kind of value, and names that objects have by themselves', async () => {
  const ask = askWith(startServer());
  const properties = {
    text: '',
    long: '👋'.repeat(1_000),
    zero: 0,
    minus: -0.5,
    large: 1e308,
    no: false,
    list: ['', 'x'],
    constructor: 'a',
    toString: 'b',
    hasOwnProperty: true,
    '': 'd',
    '0': 'f',
  };
  const { body } = await ask('POST', '/v1/contacts', { phone, properties });
  expect(field(body, 'properties')).toEqual({ phone, ...properties });
  expect((await ask('GET', `/v1/contacts/${field(body, 'id')}`)).body).toEqual(body);
});

test.each(['POST', 'PUT'])(
  'a %s takes the phone again among the properties, and no other phone',
  async (method) => {
    const ask = askWith(startServer());
    const { body: created } = await ask('POST', '/v1/contacts', { phone, properties: { visits: 3 } });
    const id = String(field(created, 'id'));
    const change = (properties: object) =>
      method === 'POST'
        ? ask('POST', '/v1/contacts', { phone, properties })
        : ask('PUT', `/v1/contacts/${id}`, { properties });
    const properties = { phone, visits: 3, city: 'London' };
    expect(await change({ phone, city: 'London' })).toMatchObject({ status: 200, body: { id, properties } });
    for (const other of [otherPhone, '', 7, true, [phone]]) {
      const { status, body } = await change({ phone: other, city: 'Paris' });
      expect([status, body]).toEqual([400, refusal('invalid_request', 'properties.phone')]);
    }
    expect((await change({})).body).toEqual({ id, properties });
  },
);

/** Lets this many steps of whatever else runs go by. */
async function steps(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await null;
}

test.each([
  ['PUT', '/v1/contacts/', { properties: { city: 'London' } }, 200],
  ['POST', '/v1/events', { event: 'seen', phone }, 202],
  ['POST', '/v1/transactional', { phone, templateId: 'welcome' }, 200],
  ['POST', '/v1/contacts', { phone }, 200],
] as const)(
  'a contact deleted at any moment of a %s %s leaves a response that makes sense, and no trace',
  async (method, path, body, success) => {
    const { server, ask } = startWithApi({
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      segments: [{ id: 'seen', event: 'seen' }],
    });
    const seen = new Set<number>();
    let isOver = false;
    for (let head = 0; !isOver && head < 1_000; head += 1) {
      const id = String(field((await ask('POST', '/v1/contacts', { phone })).body, 'id'));
      let hasResponse = false;
      const [response, deletion] = await Promise.all([
        ask(method, method === 'PUT' ? path + id : path, body).finally(() => {
          hasResponse = true;
        }),
        steps(head).then(() => {
          // From here on every deletion comes after the response.
          isOver = hasResponse;
          return ask('DELETE', `/v1/contacts/${id}`);
        }),
      ]);
      seen.add(response.status);
      expect([success, 201, 404]).toContain(response.status);
      expect(deletion.status).toBe(204);
      await server.settled();
      expect((await ask('GET', `/v1/contacts/${id}`)).status).toBe(404);
    }
    expect(isOver).toBe(true);
    expect(seen).toContain(success);
    expect(await server.journal.segmentMembers('seen')).toEqual([]);
    expect(await server.journal.events()).toEqual([]);
  },
);
