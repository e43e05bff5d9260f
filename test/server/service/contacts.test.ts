import { describe, expect, test } from 'vitest';
import { askWith, field, otherPhone, phone, refusal, startServer } from '../support/reference.js';

function workspace() {
  const server = startServer();
  const ask = askWith(server);
  const upsert = (properties?: object, number = phone) =>
    ask('POST', '/v1/contacts', { phone: number, properties });
  return { server, ask, upsert };
}

describe('upsert', () => {
  test('creates, then merges: the last value of a property stays, the others too', async () => {
    const { upsert } = workspace();
    const first = await upsert({ firstName: 'Ada', tags: ['a', 'b'] });
    const second = await upsert({ tags: [], city: '' });
    const third = await upsert();
    expect([first.status, second.status, third.status]).toEqual([201, 200, 200]);
    expect(third.body).toEqual({
      id: field(first.body, 'id'),
      properties: { phone, firstName: 'Ada', tags: [], city: '' },
    });
  });

  test('keeps every kind of value as it came', async () => {
    const { upsert, ask } = workspace();
    const properties = {
      text: '',
      long: '👋'.repeat(1_000),
      zero: 0,
      minus: -0.5,
      large: 1e308,
      no: false,
      list: ['', 'x'],
    };
    const { body } = await upsert(properties);
    expect(body).toMatchObject({ properties });
    expect((await ask('GET', `/v1/contacts/${field(body, 'id')}`)).body).toEqual(body);
  });

  test('keeps properties whose names objects have by themselves', async () => {
    const { upsert, ask } = workspace();
    const properties = {
      constructor: 'a',
      toString: 'b',
      hasOwnProperty: true,
      valueOf: 1,
      prototype: 'c',
      '': 'd',
      ' ': 'e',
      '0': 'f',
    };
    const { body } = await upsert(properties);
    expect(field(body, 'properties')).toEqual({ phone, ...properties });
    expect((await ask('GET', `/v1/contacts/${field(body, 'id')}`)).body).toEqual(body);
  });

  test('takes the phone again among the properties, and no other', async () => {
    const { upsert } = workspace();
    expect((await upsert({ phone, city: 'London' })).body).toMatchObject({
      properties: { phone, city: 'London' },
    });
    for (const other of [otherPhone, '', 7, true, [phone]]) {
      const { status, body } = await upsert({ phone: other, city: 'Paris' });
      expect([status, body]).toEqual([400, refusal('invalid_request', 'properties.phone')]);
    }
    expect((await upsert()).body).toMatchObject({ properties: { city: 'London' } });
  });

  test('of one phone a hundred times at once makes one contact', async () => {
    const { upsert } = workspace();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => upsert({ [`p${i}`]: i })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(new Set(answers.map(({ body }) => field(body, 'id'))).size).toBe(1);
    const { body } = await upsert();
    expect(Object.keys(Object(field(body, 'properties')))).toHaveLength(101);
  });

  test('of two phones makes two contacts', async () => {
    const { upsert } = workspace();
    const [one, two] = [await upsert({}, phone), await upsert({}, otherPhone)];
    expect(field(one.body, 'id')).not.toBe(field(two.body, 'id'));
  });
});

describe('update', () => {
  test('changes what is sent and answers with the whole', async () => {
    const { upsert, ask } = workspace();
    const id = field((await upsert({ firstName: 'Ada', city: 'London' })).body, 'id');
    const { status, body } = await ask('PUT', `/v1/contacts/${id}`, { properties: { city: 'Paris', phone } });
    expect([status, body]).toEqual([200, { id, properties: { phone, firstName: 'Ada', city: 'Paris' } }]);
    expect((await ask('PUT', `/v1/contacts/${id}`, { properties: {} })).body).toEqual(body);
  });

  test('with another phone gives 400 and changes nothing', async () => {
    const { upsert, ask } = workspace();
    const { body: contact } = await upsert({ city: 'London' });
    const id = field(contact, 'id');
    const { status, body } = await ask('PUT', `/v1/contacts/${id}`, {
      properties: { city: 'Paris', phone: otherPhone },
    });
    expect([status, body]).toEqual([400, refusal('invalid_request', 'properties.phone')]);
    expect((await ask('GET', `/v1/contacts/${id}`)).body).toEqual(contact);
  });
});

describe('delete', () => {
  test('is for good: the next upsert of the phone makes another contact', async () => {
    const { server, upsert, ask } = workspace();
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    const first = await upsert({ city: 'London' });
    const id = field(first.body, 'id');
    expect(await ask('DELETE', `/v1/contacts/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect(await ask('DELETE', `/v1/contacts/${id}`)).toMatchObject({
      status: 404,
      body: refusal('not_found'),
    });
    expect((await ask('PUT', `/v1/contacts/${id}`, { properties: {} })).status).toBe(404);
    expect((await ask('GET', '/v1/contacts/find?phone=%2B15551234567')).status).toBe(404);
    expect(await server.journal.consent(phone)).toBeUndefined();

    const second = await upsert();
    expect(second.status).toBe(201);
    expect(field(second.body, 'id')).not.toBe(id);
    expect(field(second.body, 'properties')).toEqual({ phone });
    expect(await server.journal.consent(phone)).toBe('unknown');
  });
});
