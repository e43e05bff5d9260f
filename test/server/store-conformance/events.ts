import { expect } from 'vitest';
import type { EventRecord, WorkspaceRecord } from '../../../src/server/model/records.js';
import type { Claim, ClaimedEvent, WorkspaceStore } from '../../../src/server/store/store.js';
import { atOnce, claimOf, listed, type Opening, type Promises, unknownClaim } from './opening.js';

/** An event of a contact. */
export function eventNamed(id: string, contactId = 'one', event = 'seen', acceptedAt = 1): EventRecord {
  return { id, contactId, event, properties: { nested: [{ a: null }] }, acceptedAt };
}

/** A workspace with the contacts `one` and `two`. */
export async function withContacts(
  { open }: Opening,
  record: Partial<WorkspaceRecord> = {},
): Promise<WorkspaceStore> {
  const workspace = await open(record);
  await workspace.contacts.upsert({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
  await workspace.contacts.upsert({ newId: 'two', phone: '+12025550101', properties: {} }, 'merge');
  return workspace;
}

/** Claims the next event that waits. */
export async function claimNext(workspace: WorkspaceStore): Promise<ClaimedEvent> {
  return claimOf(await workspace.events.claimNext());
}

/** Processes whatever waits: in these checks there are never as many as a hundred. */
export async function processAll(workspace: WorkspaceStore): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    const claimed = await workspace.events.claimNext();
    if (claimed === undefined) return;
    await workspace.completeEvent(claimed.claim, []);
  }
  throw new Error('There is always one more event to process.');
}

const always = Number.NEGATIVE_INFINITY;

export const eventPromises: Promises = {
  'are taken in for the contacts there are': async (opening) => {
    const workspace = await withContacts(opening);
    expect(await workspace.recordEvent(eventNamed('a'))).toBe(true);
    expect(await workspace.recordEvent(eventNamed('b', 'nobody'))).toBe(false);
    expect(await listed(workspace.events)).toEqual([eventNamed('a')]);
  },

  'are listed and claimed oldest first, whoever they are of': async (opening) => {
    const workspace = await withContacts(opening);
    const events = [eventNamed('a'), eventNamed('b', 'two'), eventNamed('c')];
    for (const each of events) await workspace.recordEvent(each);
    expect(await listed(workspace.events)).toEqual(events);
    for (const each of events) expect((await claimNext(workspace)).event).toEqual(each);
    expect(await workspace.events.claimNext()).toBeUndefined();
    await workspace.recordEvent(eventNamed('d'));
    expect((await claimNext(workspace)).event).toEqual(eventNamed('d'));
    expect(await listed(workspace.events)).toEqual([...events, eventNamed('d')]);
  },

  'are claimed by one only, however many claim at once': async (opening) => {
    const workspace = await withContacts(opening);
    for (let i = 0; i < 20; i += 1) await workspace.recordEvent(eventNamed(`event_${i}`));
    const claims = await atOnce(50, () => workspace.events.claimNext());
    const claimed = claims.filter((each) => each !== undefined);
    expect(claimed).toHaveLength(20);
    expect(new Set(claimed.map(({ event }) => event.id)).size).toBe(20);
  },

  'are completed once, and only when they were claimed': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    expect(await workspace.completeEvent(unknownClaim('a'), [])).toBe(false);
    expect(await workspace.completeEvent(unknownClaim('unheard_of'), [])).toBe(false);
    expect(await workspace.events.count('one', 'seen', always)).toBe(0);
    const { claim, event } = await claimNext(workspace);
    expect(event).toEqual(eventNamed('a'));
    const completions = await atOnce(5, () => workspace.completeEvent(claim, []));
    expect(completions.filter(Boolean)).toHaveLength(1);
    expect(await workspace.events.count('one', 'seen', always)).toBe(1);
  },

  'that were given back can be claimed again, and only by a claim of their own': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    const given = await claimNext(workspace);
    await workspace.events.release(unknownClaim('a'));
    await workspace.events.release(unknownClaim('unheard_of'));
    expect(await workspace.events.claimNext()).toBeUndefined();
    await workspace.events.release(given.claim);
    const again = await claimNext(workspace);
    expect(again.event).toEqual(given.event);
    await workspace.events.release(given.claim);
    expect(await workspace.completeEvent(given.claim, [])).toBe(false);
    expect(await workspace.completeEvent(again.claim, [])).toBe(true);
    await workspace.events.release(again.claim);
    expect(await workspace.events.claimNext()).toBeUndefined();
  },

  'that were given back keep their place before those that came later': async (opening) => {
    const [workspace, other] = [await withContacts(opening), await withContacts(opening)];
    for (const id of ['a', 'b', 'c', 'd'])
      for (const each of [workspace, other]) await each.recordEvent(eventNamed(id));
    const claims = [await claimNext(workspace), await claimNext(workspace), await claimNext(workspace)];
    for (const i of [2, 0, 1]) await workspace.events.release(claimOf(claims[i]).claim);
    expect((await workspace.readState()).waitingEventIds).toEqual(['a', 'b', 'c', 'd']);
    expect((await claimNext(workspace)).event.id).toBe('a');
    const { claim } = await claimNext(workspace);
    await workspace.recordEvent(eventNamed('e', 'two'));
    await workspace.events.release(claim);
    await workspace.deleteContact('one');
    expect((await claimNext(workspace)).event.id).toBe('e');
    expect((await claimNext(other)).event.id).toBe('a');
  },

  'are counted by contact and name, once they were processed': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    await workspace.recordEvent(eventNamed('b'));
    await workspace.recordEvent(eventNamed('c', 'one', 'order_placed'));
    await workspace.recordEvent(eventNamed('d', 'two'));
    expect(await workspace.events.count('one', 'seen', always)).toBe(0);
    const { claim } = await claimNext(workspace);
    expect(await workspace.events.count('one', 'seen', always)).toBe(0);
    await workspace.completeEvent(claim, []);
    expect(await workspace.events.count('one', 'seen', always)).toBe(1);
    await processAll(workspace);
    expect(await workspace.events.count('one', 'seen', always)).toBe(2);
    expect(await workspace.events.count('two', 'seen', always)).toBe(1);
    expect(await workspace.events.count('one', 'constructor', always)).toBe(0);
    expect(await workspace.events.count('nobody', 'seen', always)).toBe(0);
  },

  'are counted from after an instant, in whatever order they were processed': async (opening) => {
    const workspace = await withContacts(opening);
    const times = [10, 20, 20, 30];
    for (const [i, time] of times.entries()) {
      await workspace.recordEvent(eventNamed(`event_${i}`, 'one', 'seen', time));
    }
    const claims: Claim[] = [];
    for (const _ of times) claims.push((await claimNext(workspace)).claim);
    for (const i of [3, 1, 0, 2]) await workspace.completeEvent(claims[i] ?? unknownClaim(''), []);
    const counts = await Promise.all(
      [9, 10, 19, 20, 30].map((s) => workspace.events.count('one', 'seen', s)),
    );
    expect(counts).toEqual([4, 3, 3, 1, 0]);
  },

  'whose lease runs out are claimed again, oldest first, and only the latest claim completes them': async (
    opening,
  ) => {
    const workspace = await withContacts(opening);
    for (const id of ['a', 'b', 'c']) await workspace.recordEvent(eventNamed(id));
    const [first, second] = [await claimNext(workspace), await claimNext(workspace)];
    await opening.endLeases();
    expect(await workspace.completeEvent(second.claim, [])).toBe(true);
    const again = await claimNext(workspace);
    expect(again.event).toEqual(first.event);
    expect((await claimNext(workspace)).event.id).toBe('c');
    expect(await workspace.events.claimNext()).toBeUndefined();
    expect(await workspace.completeEvent(first.claim, [])).toBe(false);
    expect(await workspace.completeEvent(again.claim, [])).toBe(true);
    expect(await workspace.completeEvent(again.claim, [])).toBe(false);
    expect(await workspace.events.count('one', 'seen', always)).toBe(2);
    await opening.endLeases();
    expect((await claimNext(workspace)).event.id).toBe('c');
  },

  'that are abandoned again are claimed oldest first, whoever claimed which last': async (opening) => {
    const workspace = await withContacts(opening);
    for (const id of ['a', 'b', 'c']) await workspace.recordEvent(eventNamed(id));
    expect((await claimNext(workspace)).event.id).toBe('a');
    expect((await claimNext(workspace)).event.id).toBe('b');
    await opening.endLeases();
    expect((await claimNext(workspace)).event.id).toBe('a');
    await opening.endLeases();
    expect((await workspace.readState()).waitingEventIds).toEqual(['a', 'b', 'c']);
    for (const id of ['a', 'b', 'c']) expect((await claimNext(workspace)).event.id).toBe(id);
  },

  'go with their contact: those that wait, those that are claimed, and those that count': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('done'));
    await workspace.recordEvent(eventNamed('claimed'));
    await workspace.recordEvent(eventNamed('waiting'));
    await workspace.recordEvent(eventNamed('other', 'two'));
    await workspace.completeEvent((await claimNext(workspace)).claim, []);
    const { claim } = await claimNext(workspace);
    await workspace.deleteContact('one');

    expect(await workspace.completeEvent(claim, [])).toBe(false);
    expect((await claimNext(workspace)).event).toEqual(eventNamed('other', 'two'));
    expect(await workspace.events.claimNext()).toBeUndefined();
    expect(await listed(workspace.events)).toEqual([eventNamed('other', 'two')]);
    expect(await workspace.events.count('one', 'seen', always)).toBe(0);
    expect(await workspace.recordEvent(eventNamed('late'))).toBe(false);
  },

  'of a contact that is deleted meanwhile are taken in and gone, or not taken in': async (opening) => {
    const workspace = await withContacts(opening);
    await Promise.all([
      atOnce(20, (i) => workspace.recordEvent(eventNamed(`event_${i}`))),
      workspace.deleteContact('one'),
      atOnce(20, (i) => workspace.recordEvent(eventNamed(`late_${i}`))),
    ]);
    expect(await listed(workspace.events)).toEqual([]);
    expect(await workspace.events.claimNext()).toBeUndefined();
  },
};
