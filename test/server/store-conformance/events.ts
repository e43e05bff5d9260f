import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../../src/server/store/records.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import type { OpenWorkspace } from './opening.js';

const segments = [
  { id: 'seen', event: 'seen', atLeast: 1 },
  { id: 'regulars', event: 'order_placed', atLeast: 3 },
];

const event = (id: string, contactId = 'one', name = 'seen'): EventRecord => ({
  id,
  contactId,
  event: name,
  properties: { nested: [{ a: null }] },
  acceptedAt: 1,
});

async function withContacts(open: OpenWorkspace): Promise<WorkspaceStore> {
  const workspace = await open({ segments });
  await workspace.upsertContact({ newId: 'one', phone: '+12025550100', properties: {} });
  await workspace.upsertContact({ newId: 'two', phone: '+12025550101', properties: {} });
  return workspace;
}

export function eventPromises(open: OpenWorkspace): void {
  describe('events', () => {
    test('are taken in for the contacts there are', async () => {
      const workspace = await withContacts(open);
      expect(await workspace.recordEvent(event('a'))).toBe(true);
      expect(await workspace.recordEvent(event('b', 'nobody'))).toBe(false);
      expect(await workspace.listEvents()).toEqual([event('a')]);
    });

    test('are listed and claimed oldest first, whoever they are of', async () => {
      const workspace = await withContacts(open);
      const events = [event('a'), event('b', 'two'), event('c')];
      for (const each of events) await workspace.recordEvent(each);
      expect(await workspace.listEvents()).toEqual(events);
      const claimed = [
        await workspace.claimNextEvent(),
        await workspace.claimNextEvent(),
        await workspace.claimNextEvent(),
      ];
      expect(claimed).toEqual(events);
      expect(await workspace.claimNextEvent()).toBeUndefined();
      expect(await workspace.listEvents()).toEqual(events);
    });

    test('are claimed by one only, however many claim at once', async () => {
      const workspace = await withContacts(open);
      for (let i = 0; i < 20; i += 1) await workspace.recordEvent(event(`event_${i}`));
      const claims = await Promise.all(Array.from({ length: 50 }, () => workspace.claimNextEvent()));
      const claimed = claims.filter((each) => each !== undefined);
      expect(claimed).toHaveLength(20);
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(20);
    });

    test('are counted by contact and name', async () => {
      const workspace = await withContacts(open);
      await workspace.recordEvent(event('a'));
      await workspace.recordEvent(event('b'));
      await workspace.recordEvent(event('c', 'one', 'order_placed'));
      await workspace.recordEvent(event('d', 'two'));
      expect(await workspace.countEvents('one', 'seen')).toBe(2);
      expect(await workspace.countEvents('two', 'seen')).toBe(1);
      expect(await workspace.countEvents('one', 'constructor')).toBe(0);
      expect(await workspace.countEvents('nobody', 'seen')).toBe(0);
    });

    test('put their contact into segments when they are completed, once', async () => {
      const workspace = await withContacts(open);
      for (const id of ['a', 'b']) {
        await workspace.recordEvent(event(id));
        await workspace.claimNextEvent();
        await workspace.completeEvent(id, ['seen', 'regulars']);
        await workspace.completeEvent(id, ['seen']);
      }
      await workspace.recordEvent(event('c', 'two'));
      await workspace.claimNextEvent();
      await workspace.completeEvent('c', ['seen']);
      expect(await workspace.listSegmentMembers('seen')).toEqual(['one', 'two']);
      expect(await workspace.listSegmentMembers('regulars')).toEqual(['one']);
      expect(await workspace.listSegmentMembers('unheard_of')).toEqual([]);
      expect(await workspace.listSegments()).toEqual(segments);
    });

    test('that nobody claimed complete nothing', async () => {
      const workspace = await withContacts(open);
      await workspace.recordEvent(event('a'));
      await workspace.completeEvent('a', ['seen']);
      await workspace.completeEvent('unheard_of', ['seen']);
      expect(await workspace.listSegmentMembers('seen')).toEqual([]);
      expect(await workspace.claimNextEvent()).toEqual(event('a'));
    });

    test('go with their contact: those that wait, those that are claimed, and the memberships', async () => {
      const workspace = await withContacts(open);
      await workspace.recordEvent(event('done'));
      await workspace.recordEvent(event('claimed'));
      await workspace.recordEvent(event('waiting'));
      await workspace.recordEvent(event('other', 'two'));
      await workspace.claimNextEvent();
      await workspace.completeEvent('done', ['seen']);
      await workspace.claimNextEvent();
      await workspace.deleteContact('one');

      await workspace.completeEvent('claimed', ['seen']);
      expect(await workspace.listSegmentMembers('seen')).toEqual([]);
      expect(await workspace.claimNextEvent()).toEqual(event('other', 'two'));
      expect(await workspace.listEvents()).toEqual([event('other', 'two')]);
      expect(await workspace.countEvents('one', 'seen')).toBe(0);
      expect(await workspace.recordEvent(event('late'))).toBe(false);
    });
  });
}
