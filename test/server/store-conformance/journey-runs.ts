import { expect } from 'vitest';
import type { JourneyRunRecord } from '../../../src/server/model/records.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { eventNamed, withContacts } from './events.js';
import { atOnce, type Promises } from './opening.js';

/** A run that waits for its first step, due at 10. */
export function runNamed(id: string, contactId = 'one'): JourneyRunRecord {
  return {
    id,
    journeyId: 'welcome',
    contactId,
    eventId: 'event',
    eventProperties: { a: 1 },
    startedAt: 1,
    status: 'waiting',
    position: 0,
    dueAt: 10,
  };
}

/** Has an event start these runs. */
export async function start(workspace: WorkspaceStore, ...runs: readonly JourneyRunRecord[]): Promise<void> {
  const contactId = runs[0]?.contactId ?? 'one';
  await workspace.recordEvent(eventNamed(`before_${runs[0]?.id}`, contactId));
  const event = await workspace.claimNextEvent();
  await workspace.completeEvent(event?.id ?? '', runs);
}

export const journeyRunPromises: Promises = {
  'begin with the event that starts them, and not twice': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    expect(await workspace.completeEvent('a', [runNamed('early')])).toBe(false);
    await workspace.claimNextEvent();
    const runs = [runNamed('second'), runNamed('first')];
    expect(await workspace.completeEvent('a', runs)).toBe(true);
    expect(await workspace.completeEvent('a', [runNamed('late')])).toBe(false);
    expect(await workspace.listJourneyRuns()).toEqual(runs);
  },

  'are claimed when they are due, by one only': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    expect(await workspace.claimJourneyRun('run', 9)).toBeUndefined();
    expect(await workspace.claimJourneyRun('unheard_of', 10)).toBeUndefined();
    const claims = await atOnce(20, () => workspace.claimJourneyRun('run', 10));
    expect(claims.filter((claim) => claim !== undefined)).toEqual([runNamed('run')]);
  },

  'can be claimed again once they were put back, when they are due': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    await workspace.claimJourneyRun('run', 10);
    const next = { ...runNamed('run'), position: 1, dueAt: 20 };
    expect(await workspace.saveJourneyRun(next)).toBe(true);
    expect(await workspace.claimJourneyRun('run', 19)).toBeUndefined();
    expect(await workspace.claimJourneyRun('run', 20)).toEqual(next);
  },

  'that are over are claimed no more, and listed in the order in which they began': async (opening) => {
    const workspace = await withContacts(opening);
    const runs = [runNamed('b'), runNamed('a'), runNamed('c')];
    await start(workspace, ...runs);
    await workspace.claimJourneyRun('b', 10);
    await workspace.saveJourneyRun({ ...runNamed('b'), status: 'failed', error: 'no template' });
    await workspace.claimJourneyRun('a', 10);
    await workspace.saveJourneyRun({ ...runNamed('a'), status: 'finished' });
    expect(await workspace.claimJourneyRun('a', 1e15)).toBeUndefined();
    expect(await workspace.claimJourneyRun('b', 1e15)).toBeUndefined();
    expect(await workspace.listJourneyRuns()).toMatchObject([
      { id: 'b', status: 'failed', error: 'no template' },
      { id: 'a', status: 'finished' },
      { id: 'c', status: 'waiting' },
    ]);
  },

  'are put back only by whoever has claimed them': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    expect(await workspace.saveJourneyRun({ ...runNamed('run'), status: 'finished' })).toBe(false);
    expect(await workspace.saveJourneyRun(runNamed('unheard_of'))).toBe(false);
    expect(await workspace.listJourneyRuns()).toEqual([runNamed('run')]);
    await workspace.claimJourneyRun('run', 10);
    const saves = await atOnce(5, (i) => workspace.saveJourneyRun({ ...runNamed('run'), position: i }));
    expect(saves.filter(Boolean)).toHaveLength(1);
  },

  'go with their contact, also while they are claimed': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('claimed'), runNamed('waiting'));
    await start(workspace, runNamed('other', 'two'));
    await workspace.claimJourneyRun('claimed', 10);
    await workspace.deleteContact('one');
    expect(await workspace.saveJourneyRun({ ...runNamed('claimed'), position: 1 })).toBe(false);
    expect(await workspace.claimJourneyRun('waiting', 10)).toBeUndefined();
    expect(await workspace.listJourneyRuns()).toEqual([runNamed('other', 'two')]);
  },

  'do not begin where the contact is deleted while the event is claimed': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    await workspace.claimNextEvent();
    await workspace.deleteContact('one');
    expect(await workspace.completeEvent('a', [runNamed('run')])).toBe(false);
    expect(await workspace.listJourneyRuns()).toEqual([]);
  },
};
