import type { PropertyCondition, ReferenceServerOptions, SegmentSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { phone as ada, otherPhone as grace, startServer } from '../support/reference.js';

/** A server that has these segments, and a contact for each phone. */
async function workspace(segments: readonly SegmentSeed[], options: ReferenceServerOptions = {}) {
  const server = startServer({ segments, ...options });
  const { client, journal } = server;
  const order = async (phone: string) => {
    await client.events.track({ event: 'order_placed', phone });
    await server.settled();
  };
  const upsert = async (phone: string, properties = {}) =>
    (await client.contacts.upsert({ phone, properties })).id;
  return { server, client, order, upsert, members: (id: string) => journal.segmentMembers(id) };
}

describe('a segment with a window', () => {
  const segments: SegmentSeed[] = [
    { id: 'recent', event: 'order_placed', within: '1h' },
    { id: 'busy', event: 'order_placed', atLeast: 2, within: '1h' },
    { id: 'ever', event: 'order_placed' },
  ];

  test('counts within it alone, and each event for as long as itself', async () => {
    const { server, order, upsert, members } = await workspace(segments);
    const id = await upsert(ada);
    await order(ada);
    await server.clock.advance('40m');
    expect(await members('busy')).toEqual([]);
    await order(ada);
    expect(await members('busy')).toEqual([id]);
    await server.clock.advance('20m');
    expect(await members('busy')).toEqual([]);
    await order(ada);
    expect(await members('busy')).toEqual([id]);
    await server.clock.advance('40m');
    expect([await members('busy'), await members('recent')]).toEqual([[], [id]]);
  });

  test('counts an event from when it was accepted until it is as old as the window is long', async () => {
    const { server, client, upsert, members } = await workspace(segments);
    const id = await upsert(ada);
    await client.events.track({ event: 'order_placed', phone: ada });
    expect(await members('recent')).toEqual([]);
    await server.clock.advance(3_599_999);
    expect(await members('recent')).toEqual([id]);
    await server.clock.advance(1);
    expect([await members('recent'), await members('ever')]).toEqual([[], [id]]);
  });

  test('is not held open by a contact who was deleted and came back', async () => {
    const { client, order, upsert, members } = await workspace(segments);
    const id = await upsert(ada);
    const other = await upsert(grace);
    for (const phone of [ada, ada, grace]) await order(phone);
    expect([await members('busy'), await members('recent')]).toEqual([[id], [id, other]]);
    await client.contacts.delete(id);
    expect([await members('busy'), await members('recent')]).toEqual([[], [other]]);
    await upsert(ada);
    expect([await members('busy'), await members('recent'), await members('ever')]).toEqual([
      [],
      [other],
      [other],
    ]);
  });
});

describe('a segment of properties', () => {
  test.each<[PropertyCondition, object, boolean]>([
    [{ property: 'city', equals: 'Paris' }, { city: 'Paris' }, true],
    [{ property: 'city', equals: 'Paris' }, { city: 'paris' }, false],
    [{ property: 'city', equals: 'Paris' }, {}, false],
    [{ property: 'visits', equals: 3 }, { visits: '3' }, false],
    [{ property: 'vip', equals: false }, { vip: false }, true],
    [{ property: 'tags', equals: ['a', 'b'] }, { tags: ['a', 'b'] }, true],
    [{ property: 'tags', equals: ['a', 'b'] }, { tags: ['b', 'a'] }, false],
    [{ property: 'tags', equals: ['a', 'b'] }, { tags: ['a'] }, false],
    [{ property: 'tags', equals: ['a'] }, { tags: 'a' }, false],
    [{ property: 'email', exists: true }, { email: '' }, true],
    [{ property: 'email', exists: false }, {}, true],
    [{ property: 'email', exists: false }, { email: 'a@example.com' }, false],
    [{ property: 'tags', includes: 'vip' }, { tags: ['new', 'vip'] }, true],
    [{ property: 'tags', includes: 'vip' }, { tags: 'vip' }, false],
    [{ property: 'orders', atLeast: 3 }, { orders: 3 }, true],
    [{ property: 'orders', atLeast: 3 }, { orders: 2.9 }, false],
    [{ property: 'orders', atLeast: 3 }, { orders: '5' }, false],
    [{ property: 'orders', below: 3 }, { orders: 2.9 }, true],
    [{ property: 'orders', below: 3 }, { orders: 3 }, false],
    [{ property: 'phone', equals: ada }, {}, true],
  ])('%j holds one with %j: %s', async (condition, properties, holds) => {
    const { upsert, members } = await workspace([{ id: 's', where: [condition] }]);
    const id = await upsert(ada, properties);
    expect(await members('s')).toEqual(holds ? [id] : []);
  });

  test('asks for every condition, and follows each change of a contact', async () => {
    const { client, upsert, members } = await workspace([
      {
        id: 'spenders',
        where: [
          { property: 'spent', atLeast: 100 },
          { property: 'spent', below: 1_000 },
          { property: 'blocked', exists: false },
        ],
      },
    ]);
    const [one, two] = [await upsert(ada, { spent: 99 }), await upsert(grace, { spent: 999 })];
    expect(await members('spenders')).toEqual([two]);
    await client.contacts.update(one, { properties: { spent: 100 } });
    expect(await members('spenders')).toEqual([one, two]);
    await client.contacts.update(two, { properties: { blocked: true } });
    expect(await members('spenders')).toEqual([one]);
    await client.contacts.delete(one);
    expect(await members('spenders')).toEqual([]);
  });
});
