import { describe, expect, test } from 'vitest';
import { otherPhone, phone, startServer } from '../support/reference.js';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ phone: `+1555000${1_000 + i}` }));

describe('the contacts of a workspace', () => {
  test('are listed with their consent, and read by id or phone', async () => {
    const server = startServer({
      contacts: [{ phone, properties: { city: 'Paris' } }, { phone: otherPhone }],
    });
    await server.simulate.inboundMessage({ phone: otherPhone, body: 'STOP' });
    const { data, more } = await server.contacts.list();
    expect([data, more]).toMatchObject([
      [
        { phone, properties: { city: 'Paris' }, consent: 'unknown' },
        { phone: otherPhone, properties: {}, consent: 'opted_out' },
      ],
      false,
    ]);
    expect(await server.contacts.read(otherPhone)).toEqual(data[1]);
    expect(await server.contacts.read(data[0]?.id ?? '')).toEqual(data[0]);
    expect(await server.contacts.read('nobody')).toBeUndefined();
  });

  test('are found by phone, consent and properties, as text and in lists', async () => {
    const server = startServer({
      contacts: [
        { phone, properties: { plan: 'pro', age: 5, tags: ['a', 'b'] } },
        { phone: otherPhone, properties: { plan: 'pro' } },
      ],
    });
    const phones = async (filter: Parameters<typeof server.contacts.list>[0]) =>
      (await server.contacts.list(filter)).data.map((contact) => contact.phone);
    expect(await phones({ phone })).toEqual([phone]);
    expect(await phones({ consent: 'opted_in' })).toEqual([]);
    expect(await phones({ properties: { plan: 'pro' } })).toEqual([phone, otherPhone]);
    expect(await phones({ properties: { plan: 'pro', age: '5' } })).toEqual([phone]);
    expect(await phones({ properties: { tags: 'b' } })).toEqual([phone]);
    expect(await phones({ properties: { tags: 'a,b' } })).toEqual([]);
    expect(await phones({ properties: { constructor: 'undefined' } })).toEqual([]);
    const wrong: object = { property: { plan: 'pro' } };
    await expect(server.contacts.list(wrong)).rejects.toThrow('"property"; did you mean properties?');
  });

  test('come a page at a time, each of them once, also where those of a page are deleted', async () => {
    const server = startServer({ contacts: numbered(25) });
    const seen: string[] = [];
    for (let page = await server.contacts.list({}, { limit: 10 }); ; ) {
      seen.push(...page.data.map((contact) => contact.phone));
      for (const { id } of page.data) await server.client.contacts.delete(id);
      if (!page.more) break;
      page = await server.contacts.list({}, { limit: 10, cursor: page.cursor });
    }
    expect(seen).toEqual(numbered(25).map((contact) => contact.phone));
    expect((await server.contacts.list()).data).toEqual([]);
  });

  test('that come later are behind the cursor of an earlier page', async () => {
    const server = startServer({ contacts: numbered(2_000) });
    const first = await server.contacts.list();
    expect([first.data.length, first.more]).toEqual([1_000, true]);
    const second = await server.contacts.list({}, { cursor: first.cursor });
    expect([second.data.length, second.more]).toEqual([1_000, false]);
    // What is gone gives up its number, and nobody else gets it.
    for (const { id } of [...first.data, ...second.data]) await server.client.contacts.delete(id);
    const empty = await server.contacts.list({}, { cursor: second.cursor });
    expect(empty).toEqual({ data: [], more: false, cursor: second.cursor });
    await server.client.contacts.upsert({ phone });
    expect((await server.contacts.list({}, { cursor: second.cursor })).data).toMatchObject([{ phone }]);
  });

  test.each([{ limit: -1 }, { limit: 10_001 }, { limit: 0.5 }, { cursor: 'x' }, { cursor: '' }])(
    'refuse a page of %j',
    async (page) => {
      const [name = ''] = Object.keys(page);
      await expect(startServer().contacts.list({}, page)).rejects.toThrow(name);
    },
  );
});
