import { expect } from 'vitest';
import { allOf } from '../../../src/server/model/page.js';
import type { JourneyRunRecord } from '../../../src/server/model/records.js';
import type { ClaimedRun, WorkspaceStore } from '../../../src/server/store/store.js';
import { claimNext, eventNamed, withContacts } from './events.js';
import { atOnce, claimOf, type Promises, unknownClaim } from './opening.js';
import { sendNamed } from './sends.js';

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
  await workspace.completeEvent((await claimNext(workspace)).claim, runs);
}

/** Claims a run that is due at 10, or then. */
export async function claimRun(workspace: WorkspaceStore, id: string, now = 10): Promise<ClaimedRun> {
  return claimOf(await workspace.journeys.claimRun(id, now));
}

/** Shows that the step of a run sends and pays once, also if it is taken again. A run is taken by one replica at a time. */
export async function sendOncePerStep(workspace: WorkspaceStore): Promise<void> {
  await workspace.sends.setQuota({ quota: 2, addOnCredits: 0 });
  await start(workspace, runNamed('run'));
  const send = (id: string) => ({ ...sendNamed(id), contactId: 'one', journeyRunId: 'run' });
  const taken = await claimRun(workspace, 'run');
  expect(await workspace.sends.findOfStep('run', 0)).toBeUndefined();
  const both = await Promise.all(['a', 'b'].map((id) => workspace.sends.begin(send(id), 0)));
  expect(both.map((begun) => begun?.send.id)).toEqual(['a', 'a']);
  const first = claimOf(both[1]);
  const again = claimOf(await workspace.sends.begin(send('c'), 0));
  expect(again.send).toEqual(first.send);
  expect(await workspace.sends.settle(first.claim, { accepted: true })).toBe(false);
  expect(await workspace.sends.settle(again.claim, { accepted: true })).toBe(true);
  expect(await workspace.sends.begin(send('d'), 0)).toBeUndefined();
  expect(await workspace.sends.findOfStep('run', 0)).toEqual({ ...first.send, status: 'sent' });
  expect(await workspace.sends.findOfStep('other', 0)).toBeUndefined();
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 1 });

  expect(await workspace.journeys.saveRun(taken.claim, { ...taken.run, position: 1 })).toBe(true);
  await claimRun(workspace, 'run');
  const next = claimOf(await workspace.sends.begin(send('e'), 1));
  expect(next.send.id).toBe('e');
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 0 });
  await workspace.sends.settle(next.claim, { accepted: false, refund: true });
  expect(await workspace.sends.findOfStep('run', 1)).toBeUndefined();
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 1 });
}

export const journeyRunPromises: Promises = {
  'begin with the event that starts them, and not twice': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    expect(await workspace.completeEvent(unknownClaim('a'), [runNamed('early')])).toBe(false);
    const { claim } = await claimNext(workspace);
    const runs = [runNamed('second'), runNamed('first')];
    expect(await workspace.completeEvent(claim, runs)).toBe(true);
    expect(await workspace.completeEvent(claim, [runNamed('late')])).toBe(false);
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual(runs);
  },

  'are claimed when they are due, by one only': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    expect(await workspace.journeys.claimRun('run', 9)).toBeUndefined();
    expect(await workspace.journeys.claimRun('unheard_of', 10)).toBeUndefined();
    const claims = await atOnce(20, () => workspace.journeys.claimRun('run', 10));
    expect(claims.flatMap((claimed) => claimed?.run ?? [])).toEqual([runNamed('run')]);
  },

  'can be claimed again once they were put back, when they are due': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    const { claim } = await claimRun(workspace, 'run');
    const next = { ...runNamed('run'), position: 1, dueAt: 20 };
    expect(await workspace.journeys.saveRun(claim, next)).toBe(true);
    expect(await workspace.journeys.claimRun('run', 19)).toBeUndefined();
    expect((await claimRun(workspace, 'run', 20)).run).toEqual(next);
  },

  'that were given back can be claimed again as they were': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    const given = await claimRun(workspace, 'run');
    await workspace.journeys.releaseRun(unknownClaim('run'));
    expect(await workspace.journeys.claimRun('run', 10)).toBeUndefined();
    await workspace.journeys.releaseRun(given.claim);
    const again = await claimRun(workspace, 'run');
    expect(again.run).toEqual(given.run);
    await workspace.journeys.releaseRun(given.claim);
    expect(await workspace.journeys.saveRun(given.claim, { ...given.run, position: 1 })).toBe(false);
    expect(await workspace.journeys.saveRun(again.claim, { ...again.run, position: 1 })).toBe(true);
  },

  'that are over are claimed no more, and listed in the order in which they began': async (opening) => {
    const workspace = await withContacts(opening);
    const runs = [runNamed('b'), runNamed('a'), runNamed('c')];
    await start(workspace, ...runs);
    const [a, b] = [await claimRun(workspace, 'a'), await claimRun(workspace, 'b')];
    await workspace.journeys.saveRun(b.claim, { ...b.run, status: 'failed', error: 'no template' });
    await workspace.journeys.saveRun(a.claim, { ...a.run, status: 'finished' });
    expect(await workspace.journeys.claimRun('a', 1e15)).toBeUndefined();
    expect(await workspace.journeys.claimRun('b', 1e15)).toBeUndefined();
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toMatchObject([
      { id: 'b', status: 'failed', error: 'no template' },
      { id: 'a', status: 'finished' },
      { id: 'c', status: 'waiting' },
    ]);
  },

  'are put back only by whoever has claimed them': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'));
    const finished = { ...runNamed('run'), status: 'finished' } as const;
    expect(await workspace.journeys.saveRun(unknownClaim('run'), finished)).toBe(false);
    expect(await workspace.journeys.saveRun(unknownClaim('other'), runNamed('other'))).toBe(false);
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual([runNamed('run')]);
    const { claim, run } = await claimRun(workspace, 'run');
    const saves = await atOnce(5, (i) => workspace.journeys.saveRun(claim, { ...run, position: i }));
    expect(saves.filter(Boolean)).toHaveLength(1);
  },

  'whose lease runs out are claimed again, and only the latest claim puts them back': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('run'), runNamed('kept'));
    const [stale, kept] = [await claimRun(workspace, 'run'), await claimRun(workspace, 'kept')];
    expect(await workspace.journeys.claimRun('run', 1e15)).toBeUndefined();
    await opening.endLeases();
    const latest = await claimRun(workspace, 'run');
    expect(latest.run).toEqual(stale.run);
    expect(await workspace.journeys.saveRun(stale.claim, { ...stale.run, position: 7 })).toBe(false);
    expect(await workspace.journeys.saveRun(latest.claim, { ...latest.run, position: 1 })).toBe(true);
    // Nobody else has claimed this one: late is not lost.
    expect(await workspace.journeys.saveRun(kept.claim, { ...kept.run, position: 2 })).toBe(true);
    expect(
      (await allOf((range) => workspace.journeys.pageOfRuns(range))).map(({ position }) => position),
    ).toEqual([1, 2]);
  },

  'stay when their journey is replaced or deleted': async (opening) => {
    const workspace = await withContacts(opening);
    const { journeyId: id } = runNamed('run');
    await workspace.journeys.put({ id, event: 'seen', steps: [] });
    await start(workspace, runNamed('claimed'), runNamed('waiting'));
    const { claim, run } = await claimRun(workspace, 'claimed');
    await workspace.journeys.put({ id, event: 'left', steps: [] });
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual([
      runNamed('claimed'),
      runNamed('waiting'),
    ]);
    await workspace.journeys.delete(id);
    expect(await workspace.journeys.saveRun(claim, { ...run, status: 'finished' })).toBe(true);
    expect((await claimRun(workspace, 'waiting')).run).toEqual(runNamed('waiting'));
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toHaveLength(2);
  },

  'go with their contact, also while they are claimed': async (opening) => {
    const workspace = await withContacts(opening);
    await start(workspace, runNamed('claimed'), runNamed('waiting'));
    await start(workspace, runNamed('other', 'two'));
    const { claim, run } = await claimRun(workspace, 'claimed');
    await workspace.deleteContact('one');
    expect(await workspace.journeys.saveRun(claim, { ...run, position: 1 })).toBe(false);
    expect(await workspace.journeys.claimRun('waiting', 10)).toBeUndefined();
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual([runNamed('other', 'two')]);
  },

  'do not begin where the contact is deleted while the event is claimed': async (opening) => {
    const workspace = await withContacts(opening);
    await workspace.recordEvent(eventNamed('a'));
    const { claim } = await claimNext(workspace);
    await workspace.deleteContact('one');
    expect(await workspace.completeEvent(claim, [runNamed('run')])).toBe(false);
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual([]);
  },
};
