import { expect, test } from 'vitest';
import { createServices } from '../../../src/server/service/services.js';
import { simulatedProvider } from '../../../src/server/service/simulated-provider.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { alteredWorkspace } from '../store-conformance/altered-store.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { phone } from '../support/reference.js';

const contactId = 'contact';

async function withContact(): Promise<WorkspaceStore> {
  const store = new MemoryWorkspace(workspaceRecord());
  await store.contacts.upsert({ newId: contactId, phone, properties: {} }, 'merge');
  return store;
}

function eventsOf(store: WorkspaceStore) {
  const context = contextOf(store);
  const { events } = createServices(context, { wake: () => {} }, simulatedProvider);
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
