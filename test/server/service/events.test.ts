import { expect, test } from 'vitest';
import { simulatedProvider } from '../../../src/server/service/provider.js';
import { createServices } from '../../../src/server/service/services.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-store.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { alteredWorkspace } from '../store-conformance/altered-store.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { otherPhone, phone, refusal, startWithApi } from '../support/reference.js';

function workspace() {
  const { server, ask } = startWithApi({
    segments: [
      { id: 'regulars', event: 'order_placed', atLeast: 3 },
      { id: 'buyers', event: 'order_placed' },
    ],
    contacts: [{ phone }, { phone: otherPhone }],
  });
  const track = (body: object) => ask('POST', '/v1/events', { event: 'order_placed', phone, ...body });
  const idOf = async (number: string) => String((await server.contacts.read(number))?.id);
  return { server, ask, track, idOf };
}

test('events stand in the journal in their order, whoever they are of', async () => {
  const { server, track, idOf } = workspace();
  const contactId = await idOf(otherPhone);
  await track({ event: 'a' });
  expect((await track({ phone: undefined, contactId, properties: { a: [{ b: null }] } })).status).toBe(202);
  await track({ event: 'c' });
  expect(await server.journal.events()).toMatchObject([
    { event: 'a', contactId: await idOf(phone) },
    {
      id: expect.stringMatching(/^event_/),
      contactId,
      event: 'order_placed',
      properties: { a: [{ b: null }] },
      acceptedAt: server.clock.now(),
    },
    { event: 'c' },
  ]);
});

test('an event of nobody gives 404 and is not kept', async () => {
  const { server, track } = workspace();
  for (const names of [{ phone: '+12025550123' }, { phone: undefined, contactId: 'nobody' }]) {
    const { status, body } = await track(names);
    expect([status, body]).toEqual([404, refusal('not_found')]);
    expect(JSON.stringify(body)).not.toContain('2025550123');
  }
  expect(await server.journal.events()).toEqual([]);
});

test('a segment holds a contact from the number of events that it asks for', async () => {
  const { server, track, idOf } = workspace();
  const id = await idOf(phone);
  for (const members of [[], [], [id], [id]]) {
    await track({});
    await track({ event: 'seen', phone: otherPhone });
    await server.settled();
    expect(await server.journal.segmentMembers('regulars')).toEqual(members);
  }
  expect(await server.journal.segmentMembers('buyers')).toEqual([id]);
  await expect(server.journal.segmentMembers('unheard_of')).rejects.toMatchObject({
    code: 'not_found',
    message: 'No segment of this workspace has the id "unheard_of".',
  });
});

const contactId = 'contact';

async function withContact(): Promise<WorkspaceStore> {
  const store = new MemoryWorkspace(workspaceRecord());
  await store.contacts.upsert({ newId: contactId, phone, properties: {} }, 'merge');
  return store;
}

function eventsOf(store: WorkspaceStore) {
  const context = contextOf(store);
  const { events } = createServices(context, () => {}, simulatedProvider);
  return { context, events };
}

test('an event whose contact is deleted while it is recorded is refused, and nothing tells of it', async () => {
  const store = alteredWorkspace(await withContact(), (kept) => ({
    root: {
      async recordEvent(event) {
        await kept.deleteContact(contactId);
        return kept.recordEvent(event);
      },
    },
  }));
  const { context, events } = eventsOf(store);
  await expect(events.track({ event: 'seen', phone })).rejects.toMatchObject({
    code: 'not_found',
    message: 'The contact was deleted while its event was recorded.',
  });
  expect(context.entries).toEqual([]);
});

test('all events that waited are processed when the workspace goes on', async () => {
  const store = await withContact();
  for (const id of ['one', 'two', 'three']) {
    await store.recordEvent({ id, contactId, event: 'seen', properties: {}, acceptedAt: 0 });
  }
  await eventsOf(store).events.resume();
  expect(await store.events.count(contactId, 'seen', Number.NEGATIVE_INFINITY)).toBe(3);
});

test('an event whose processing failed with the store is processed once the workspace goes on', async () => {
  let isGone = true;
  const store = alteredWorkspace(await withContact(), (kept) => ({
    journeys: {
      listStartedBy: (event) =>
        isGone ? Promise.reject(new Error('gone')) : kept.journeys.listStartedBy(event),
    },
  }));
  const { context, events } = eventsOf(store);
  await events.track({ event: 'seen', phone });
  await context.work.settled();
  expect(context.failures).toEqual([new Error('gone')]);
  isGone = false;
  await events.resume();
  expect(await store.events.count(contactId, 'seen', Number.NEGATIVE_INFINITY)).toBe(1);
});

test('an event whose contact is deleted while it is processed begins no journey', async () => {
  const kept = new MemoryWorkspace(
    workspaceRecord({ journeys: [{ id: 'greet', event: 'seen', steps: [] }] }),
  );
  await kept.contacts.upsert({ newId: contactId, phone, properties: {} }, 'merge');
  const store = alteredWorkspace(kept, () => ({
    root: {
      async completeEvent(claim, runs) {
        await kept.deleteContact(contactId);
        return kept.completeEvent(claim, runs);
      },
    },
  }));
  const { context, events } = eventsOf(store);
  await events.track({ event: 'seen', phone });
  await context.work.settled();
  expect(context.entries.map(({ type }) => type)).toEqual(['event']);
  expect(context.failures).toEqual([]);
});
