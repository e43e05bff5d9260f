import { describe, expect, test } from 'vitest';
import { askWith, field, otherPhone, phone, refusal, startServer } from '../support/reference.js';

function workspace() {
  const server = startServer({
    segments: [
      { id: 'seen', event: 'seen' },
      { id: 'regulars', event: 'order_placed', atLeast: 3 },
      { id: 'buyers', event: 'order_placed' },
    ],
    contacts: [{ phone }, { phone: otherPhone }],
  });
  const ask = askWith(server);
  const track = (body: object) => ask('POST', '/v1/events', { event: 'order_placed', phone, ...body });
  const idOf = async (number: string) =>
    String(field((await ask('POST', '/v1/contacts', { phone: number })).body, 'id'));
  return { server, ask, track, idOf };
}

describe('a tracked event', () => {
  test('is answered before it is processed', async () => {
    const { server, idOf } = workspace();
    const id = await idOf(phone);
    const response = await server.fetch(
      new Request('http://localhost/api/v1/events', {
        method: 'POST',
        headers: { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ event: 'order_placed', phone }),
      }),
    );
    expect(await server.journal.segmentMembers('buyers')).toEqual([]);
    expect([response.status, await response.json()]).toEqual([202, { accepted: true }]);
    await server.settled();
    expect(await server.journal.segmentMembers('buyers')).toEqual([id]);
  });

  test('may name its contact by the id', async () => {
    const { server, track, idOf } = workspace();
    const contactId = await idOf(otherPhone);
    expect((await track({ phone: undefined, contactId, properties: { a: [{ b: null }] } })).status).toBe(202);
    expect(await server.journal.events()).toEqual([
      {
        id: expect.stringMatching(/^event_/),
        contactId,
        event: 'order_placed',
        properties: { a: [{ b: null }] },
        acceptedAt: server.clock.now(),
      },
    ]);
  });

  test('of nobody gives 404 and is not kept', async () => {
    const { server, track } = workspace();
    for (const names of [{ phone: '+12025550123' }, { phone: undefined, contactId: 'nobody' }]) {
      const { status, body } = await track(names);
      expect([status, body]).toEqual([404, refusal('not_found')]);
      expect(JSON.stringify(body)).not.toContain('2025550123');
    }
    expect(await server.journal.events()).toEqual([]);
  });

  test('stands in the journal in the order of the events, whoever they are of', async () => {
    const { server, track } = workspace();
    await track({ event: 'a' });
    await track({ event: 'b', phone: otherPhone });
    await track({ event: 'c' });
    expect((await server.journal.events()).map(({ event }) => event)).toEqual(['a', 'b', 'c']);
  });

  test('is not delivered as a webhook', async () => {
    const { server, ask, track } = workspace();
    await ask('POST', '/v1/webhooks', {
      url: 'https://example.com/hooks',
      events: ['message.received', 'contact.opted_in', 'contact.opted_out'],
    });
    await track({ event: 'message.received' });
    await server.settled();
    expect(await server.journal.deliveries()).toEqual([]);
  });
});

describe('a segment', () => {
  test('holds a contact from the number of events that it asks for', async () => {
    const { server, track, idOf } = workspace();
    const id = await idOf(phone);
    for (const members of [[], [], [id], [id]]) {
      await track({});
      await track({ event: 'seen', phone: otherPhone });
      await server.settled();
      expect(await server.journal.segmentMembers('regulars')).toEqual(members);
    }
    expect(await server.journal.segmentMembers('buyers')).toEqual([id]);
    expect(await server.journal.segmentMembers('seen')).toEqual([await idOf(otherPhone)]);
    await expect(server.journal.segmentMembers('unheard_of')).rejects.toMatchObject({
      code: 'not_found',
      message: 'No segment of this workspace has the id "unheard_of".',
    });
  });

  test('counts the events of each contact by itself, also when they come at once', async () => {
    const { server, track, idOf } = workspace();
    await Promise.all([
      track({}),
      track({}),
      track({}),
      track({ phone: otherPhone }),
      track({ phone: otherPhone }),
    ]);
    await server.settled();
    expect(await server.journal.segmentMembers('regulars')).toEqual([await idOf(phone)]);
    expect(await server.journal.segmentMembers('buyers')).toHaveLength(2);
  });
});

describe('a contact that is deleted', () => {
  test('leaves every segment, and its events leave the journal', async () => {
    const { server, ask, track, idOf } = workspace();
    for (let i = 0; i < 3; i += 1) await track({});
    await track({ phone: otherPhone });
    await server.settled();
    await ask('DELETE', `/v1/contacts/${await idOf(phone)}`);
    expect(await server.journal.segmentMembers('regulars')).toEqual([]);
    expect(await server.journal.segmentMembers('buyers')).toEqual([await idOf(otherPhone)]);
    expect(await server.journal.events()).toHaveLength(1);
  });

  test('between the answer and the processing joins none', async () => {
    const { server, ask, track, idOf } = workspace();
    const id = await idOf(phone);
    await track({});
    await track({ phone: otherPhone });
    await ask('DELETE', `/v1/contacts/${id}`);
    await server.settled();
    expect(await server.journal.segmentMembers('buyers')).toEqual([await idOf(otherPhone)]);
  });

  test('starts counting anew when it comes back', async () => {
    const { server, ask, track, idOf } = workspace();
    await track({});
    await track({});
    await server.settled();
    await ask('DELETE', `/v1/contacts/${await idOf(phone)}`);
    await idOf(phone);
    await track({});
    await server.settled();
    expect(await server.journal.segmentMembers('regulars')).toEqual([]);
  });
});
