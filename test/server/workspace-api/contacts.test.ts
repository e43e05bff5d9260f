import { describe, expect, test } from 'vitest';
import { otherPhone, phone, startServer } from '../support/reference.js';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ phone: `+1555000${1_000 + i}` }));

describe('contacts.list', () => {
  test('filters by phone, consent and properties, which it compares as text', async () => {
    const server = startServer({
      contacts: [
        { phone, properties: { plan: 'pro', age: 5, tags: ['a', 'b'] } },
        { phone: otherPhone, properties: { plan: 'Pro' } },
      ],
    });
    const phones = async (filter: Parameters<typeof server.contacts.list>[0]) =>
      (await server.contacts.list(filter)).data.map((contact) => contact.phone);
    expect(await phones({ phone })).toEqual([phone]);
    expect(await phones({ consent: 'opted_in' })).toEqual([]);
    expect(await phones({ consent: 'unknown' })).toEqual([phone, otherPhone]);
    expect(await phones({ properties: { plan: 'pro' } })).toEqual([phone]);
    expect(await phones({ properties: { plan: 'pr' } })).toEqual([]);
    expect(await phones({ properties: { plan: 'pro', age: '5' } })).toEqual([phone]);
    expect(await phones({ properties: { tags: 'b' } })).toEqual([phone]);
    expect(await phones({ properties: { tags: 'a,b' } })).toEqual([]);
    expect(await phones({ properties: { constructor: 'undefined' } })).toEqual([]);
    const wrong: object = { property: { plan: 'pro' } };
    await expect(server.contacts.list(wrong)).rejects.toThrow('"property"; did you mean properties?');
  });

  test('lists new contacts behind the cursor of a page whose contacts are gone', async () => {
    const server = startServer({ contacts: numbered(2_000) });
    const first = await server.contacts.list();
    expect([first.data.length, first.more]).toEqual([1_000, true]);
    const second = await server.contacts.list({}, { cursor: first.cursor });
    expect([second.data.length, second.more]).toEqual([1_000, false]);
    for (const { id } of [...first.data, ...second.data]) await server.client.contacts.delete(id);
    const empty = await server.contacts.list({}, { cursor: second.cursor });
    expect(empty).toEqual({ data: [], more: false, cursor: second.cursor });
    await server.client.contacts.upsert({ phone });
    expect((await server.contacts.list({}, { cursor: second.cursor })).data).toMatchObject([{ phone }]);
  });
});
