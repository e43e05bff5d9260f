import {
  createReferenceServer,
  type ReferenceServerOptions,
  type SegmentSeed,
} from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';

const [ada, grace] = ['+15551234567', '+442071838750'];

/** A server that has these segments, and a contact for each phone. */
async function workspace(segments: readonly SegmentSeed[], options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ clock: 'frozen', segments, ...options });
  onTestFinished(() => server.close());
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

  test('lets an event go at the millisecond at which it is as old as the window is long', async () => {
    const { server, order, upsert, members } = await workspace(segments);
    const id = await upsert(ada);
    await order(ada);
    expect(await members('recent')).toEqual([id]);
    await server.clock.advance('59m');
    await server.clock.advance(59_999);
    expect(await members('recent')).toEqual([id]);
    await server.clock.advance(1);
    expect(await members('recent')).toEqual([]);
    expect(await members('ever')).toEqual([id]);
  });

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

  test('counts from when the event was accepted', async () => {
    const { server, client, upsert, members } = await workspace(segments);
    const id = await upsert(ada);
    await client.events.track({ event: 'order_placed', phone: ada });
    expect(await members('recent')).toEqual([]);
    await server.clock.advance(3_599_999);
    expect(await members('recent')).toEqual([id]);
    await server.clock.advance(1);
    expect(await members('recent')).toEqual([]);
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
  test.each<[SegmentSeed & { where: unknown }, object, boolean]>([
    [{ id: 's', where: [{ property: 'city', equals: 'Paris' }] }, { city: 'Paris' }, true],
    [{ id: 's', where: [{ property: 'city', equals: 'Paris' }] }, { city: 'paris' }, false],
    [{ id: 's', where: [{ property: 'city', equals: 'Paris' }] }, {}, false],
    [{ id: 's', where: [{ property: 'visits', equals: 3 }] }, { visits: 3 }, true],
    [{ id: 's', where: [{ property: 'visits', equals: 3 }] }, { visits: '3' }, false],
    [{ id: 's', where: [{ property: 'vip', equals: false }] }, { vip: false }, true],
    [{ id: 's', where: [{ property: 'vip', equals: false }] }, {}, false],
    [{ id: 's', where: [{ property: 'tags', equals: ['a', 'b'] }] }, { tags: ['a', 'b'] }, true],
    [{ id: 's', where: [{ property: 'tags', equals: ['a', 'b'] }] }, { tags: ['b', 'a'] }, false],
    [{ id: 's', where: [{ property: 'tags', equals: ['a', 'b'] }] }, { tags: ['a', 'c'] }, false],
    [{ id: 's', where: [{ property: 'tags', equals: ['a', 'b'] }] }, { tags: ['a', 'b', 'c'] }, false],
    [{ id: 's', where: [{ property: 'tags', equals: ['a', 'b'] }] }, { tags: ['a'] }, false],
    [{ id: 's', where: [{ property: 'tags', equals: ['a'] }] }, { tags: 'a' }, false],
    [{ id: 's', where: [{ property: 'email', exists: true }] }, { email: '' }, true],
    [{ id: 's', where: [{ property: 'email', exists: true }] }, {}, false],
    [{ id: 's', where: [{ property: 'email', exists: false }] }, {}, true],
    [{ id: 's', where: [{ property: 'email', exists: false }] }, { email: 'a@example.com' }, false],
    [{ id: 's', where: [{ property: 'constructor', exists: true }] }, {}, false],
    [{ id: 's', where: [{ property: 'tags', includes: 'vip' }] }, { tags: ['new', 'vip'] }, true],
    [{ id: 's', where: [{ property: 'tags', includes: 'vip' }] }, { tags: ['new'] }, false],
    [{ id: 's', where: [{ property: 'tags', includes: 'vip' }] }, { tags: 'vip' }, false],
    [{ id: 's', where: [{ property: 'orders', atLeast: 3 }] }, { orders: 3 }, true],
    [{ id: 's', where: [{ property: 'orders', atLeast: 3 }] }, { orders: 2.9 }, false],
    [{ id: 's', where: [{ property: 'orders', atLeast: 3 }] }, { orders: '5' }, false],
    [{ id: 's', where: [{ property: 'orders', below: 3 }] }, { orders: 2.9 }, true],
    [{ id: 's', where: [{ property: 'orders', below: 3 }] }, { orders: 3 }, false],
    [{ id: 's', where: [{ property: 'orders', below: 3 }] }, {}, false],
    [{ id: 's', where: [{ property: 'phone', equals: ada }] }, {}, true],
    [{ id: 's', where: [{ property: 'phone', equals: grace }] }, {}, false],
  ])('%j holds one with %j: %s', async (segment, properties, holds) => {
    const { upsert, members } = await workspace([segment]);
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

  test('holds the contacts that the seed names', async () => {
    const { members } = await workspace([{ id: 's', where: [{ property: 'city', equals: 'Paris' }] }], {
      contacts: [{ phone: ada, properties: { city: 'Paris' } }, { phone: grace }],
    });
    expect(await members('s')).toHaveLength(1);
  });
});
