import { expect } from 'vitest';
import type { EventRecord } from '../../../src/server/model/records.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { atOnce, type Opening, type Promises } from './opening.js';

/** An event of a contact. */
export function eventNamed(id: string, contactId = 'one', event = 'seen', acceptedAt = 1): EventRecord {
  return { id, contactId, event, properties: { nested: [{ a: null }] }, acceptedAt };
}

/** A workspace with the contacts `one` and `two`. */
export async function withContacts({ open }: Opening): Promise<WorkspaceStore> {
  const workspace = await open();
  await workspace.upsertContact({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
  await workspace.upsertContact({ newId: 'two', phone: '+12025550101', properties: {} }, 'merge');
  return workspace;
}

/** Processes whatever waits. */
export async function processAll(workspace: WorkspaceStore): Promise<void> {
  for (
    let event = await workspace.claimNextEvent();
    event !== undefined;
    event = await workspace.claimNextEvent()
  ) {
    await workspace.completeEvent(event.id, []);
  }
}

const always = Number.NEGATIVE_INFINITY;

export const eventPromises: Promises = {
  'are taken in for the contacts there are': async (opening) => {
    const workspace = await withContacts(opening);
    expect(await workspace.recordEvent(eventNamed('a'))).toBe(true);
    expect(await workspace.recordEvent(eventNamed('b', 'nobody'))).toBe(false);
    expect(await workspace.listEvents()).toEqual([eventNamed('a')]);
  },

  'are listed and claimed oldest first, whoever they are of': async (opening) => {
    const workspace = await withContacts(opening);
    const events = [eventNamed('a'), eventNamed('b', 'two'), eventNamed('c')];
    for (const each of events) await workspace.recordEvent(each);
    expect(await workspace.listEvents()).toEqual(events);
    for (const each of events) expect(await workspace.claimNextEvent()).toEqual(each);
    expect(await workspace.claimNextEvent()).toBeUndefined();
    await workspace.recordEvent(eventNamed('d'));
    expect(await workspace.claimNextEvent()).toEqual(eventNamed('d'));
    expect(await workspace.listEvents()).toEqual([...events, eventNamed('d')]);
  },

  'are claimed by one only, however many claim at once': async (opening) => {
    const workspace = await withContacts(opening);
    for (let i = 0; i < 20; i += 1) await workspace.recordEvent(eventNamed(`event_${i}`));
    const claims = await atOnce(50, () => workspace.claimNextEvent());
    const claimed = claims.filter((each) => each !== undefined);
    expect(claimed).toHaveLength(20);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(20);
  },

  'are completed once, and only when they were claimed': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    expect(await workspace.completeEvent('a', [])).toBe(false);
    expect(await workspace.completeEvent('unheard_of', [])).toBe(false);
    expect(await workspace.countEvents('one', 'seen', always)).toBe(0);
    expect(await workspace.claimNextEvent()).toEqual(eventNamed('a'));
    const completions = await atOnce(5, () => workspace.completeEvent('a', []));
    expect(completions.filter(Boolean)).toHaveLength(1);
    expect(await workspace.countEvents('one', 'seen', always)).toBe(1);
  },

  'are counted by contact and name, once they were processed': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    await workspace.recordEvent(eventNamed('b'));
    await workspace.recordEvent(eventNamed('c', 'one', 'order_placed'));
    await workspace.recordEvent(eventNamed('d', 'two'));
    expect(await workspace.countEvents('one', 'seen', always)).toBe(0);
    await workspace.claimNextEvent();
    expect(await workspace.countEvents('one', 'seen', always)).toBe(0);
    await workspace.completeEvent('a', []);
    expect(await workspace.countEvents('one', 'seen', always)).toBe(1);
    await processAll(workspace);
    expect(await workspace.countEvents('one', 'seen', always)).toBe(2);
    expect(await workspace.countEvents('two', 'seen', always)).toBe(1);
    expect(await workspace.countEvents('one', 'constructor', always)).toBe(0);
    expect(await workspace.countEvents('nobody', 'seen', always)).toBe(0);
  },

  'are counted from after an instant, in whatever order they were processed': async (opening) => {
    const workspace = await withContacts(opening);
    const times = [10, 20, 20, 30];
    for (const [i, time] of times.entries()) {
      await workspace.recordEvent(eventNamed(`event_${i}`, 'one', 'seen', time));
    }
    for (const _ of times) await workspace.claimNextEvent();
    for (const i of [3, 1, 0, 2]) await workspace.completeEvent(`event_${i}`, []);
    const counts = await Promise.all([9, 10, 19, 20, 30].map((s) => workspace.countEvents('one', 'seen', s)));
    expect(counts).toEqual([4, 3, 3, 1, 0]);
  },

  'go with their contact: those that wait, those that are claimed, and those that count': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('done'));
    await workspace.recordEvent(eventNamed('claimed'));
    await workspace.recordEvent(eventNamed('waiting'));
    await workspace.recordEvent(eventNamed('other', 'two'));
    await workspace.claimNextEvent();
    await workspace.completeEvent('done', []);
    await workspace.claimNextEvent();
    await workspace.deleteContact('one');

    expect(await workspace.completeEvent('claimed', [])).toBe(false);
    expect(await workspace.claimNextEvent()).toEqual(eventNamed('other', 'two'));
    expect(await workspace.claimNextEvent()).toBeUndefined();
    expect(await workspace.listEvents()).toEqual([eventNamed('other', 'two')]);
    expect(await workspace.countEvents('one', 'seen', always)).toBe(0);
    expect(await workspace.recordEvent(eventNamed('late'))).toBe(false);
  },

  'of a contact that is deleted meanwhile are taken in and gone, or not taken in': async (opening) => {
    const workspace = await withContacts(opening);
    await Promise.all([
      atOnce(20, (i) => workspace.recordEvent(eventNamed(`event_${i}`))),
      workspace.deleteContact('one'),
      atOnce(20, (i) => workspace.recordEvent(eventNamed(`late_${i}`))),
    ]);
    expect(await workspace.listEvents()).toEqual([]);
    expect(await workspace.claimNextEvent()).toBeUndefined();
  },
};
