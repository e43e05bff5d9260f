import type { ReferenceServer, ReferenceWorkspace, WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { control, dataOf } from '../../server/control-routes/support.js';
import { field } from '../../server/support/reference.js';
import { missingPostgres, useOwnPostgres, usePostgres } from '../support/database.js';
import { startReplica, startService } from '../support/replicas-of-a-service.js';

// The database goes back to a backup while replicas run. What they have seen since is a future that never comes.

const phone = '+15551234567';
const day = 86_400_000;
const rule = { operation: 'templates.list', fault: { kind: 'status', status: 500 }, nth: 99 } as const;
const frozen: WorkspaceSeed = {
  clock: 'frozen',
  now: '2026-01-01T09:00:00Z',
  faults: [rule, { ...rule, nth: 98 }],
  specGaps: { unknownIdStatus: 410 },
};

/** The other workspace, whose clock flows, in the hands of a replica. */
const other: WorkspaceSeed = { apiKey: 'key_of_the_other_workspace', clock: 'flowing', faults: [rule] };

/** What is said of a workspace over HTTP: its time without the milliseconds that pass, its settings and its journal. */
async function saidBy(server: ReferenceServer, workspace: Pick<ReferenceWorkspace, 'apiKey'>) {
  const read = async (path: string) => (await control(server, workspace)('GET', path)).body;
  const clock = await read('/clock');
  const time = timeOf(Number(field(clock, 'now')), field(clock, 'flow') === 'frozen');
  const journal = dataOf(await read('/journal')).map((entry) => field(entry, 'body') ?? field(entry, 'type'));
  const settings = await Promise.all(['/spec-gaps', '/faults', '/receiver'].map(read));
  return { ...time, settings, journal };
}

/** What a process itself says of a workspace that it holds, as far as it says it at once. */
function seenBy({ clock, specGaps, receiver }: ReferenceWorkspace) {
  const { isFrozen } = clock;
  return { ...timeOf(clock.now(), isFrozen), specGaps: specGaps.read(), receiver: receiver.read() };
}

/** A frozen time, or how many days a flowing one is ahead of the machine's. */
function timeOf(time: number, isFrozen: boolean) {
  return isFrozen ? { time } : { daysAhead: Math.abs(Math.round((time - Date.now()) / day)) };
}

/** Changes everything that a replica keeps of a workspace. */
async function change(workspace: ReferenceWorkspace): Promise<void> {
  await workspace.clock.advance('30d');
  const [first] = await workspace.faults.list();
  await workspace.faults.remove(first?.id ?? '');
  await workspace.faults.add({ delivery: 'any', fault: { kind: 'duplicate' } });
  await workspace.specGaps.set({ unknownIdStatus: 404, listBody: 'array' });
  await workspace.receiver.set({ mode: 'error' });
  await workspace.client.templates.list();
  await workspace.simulate.inboundMessage({ phone, body: 'lost' });
  await workspace.settled();
}

describe.skipIf(missingPostgres)('replicas whose database crashes and goes on from a backup', () => {
  const postgres = useOwnPostgres();

  test('say what a fresh one says, of every workspace', { timeout: 60_000 }, async () => {
    const service = await startService(postgres(), frozen);
    const { one, two } = service;
    const flowing = one.workspace(other);
    const workspaces = [one, flowing];
    for (const workspace of workspaces) {
      await workspace.simulate.inboundMessage({ phone, body: 'kept' });
      await workspace.settled();
    }
    const restore = await postgres().server.backUp();
    await expect.poll(() => one.quota.read().catch(() => 'away'), { timeout: 20_000 }).not.toBe('away');
    for (const workspace of workspaces) await change(workspace);
    await saidBy(two, one);
    await saidBy(two, flowing);
    await restore();
    const fresh = await startReplica(postgres(), service.schema, frozen);

    for (const workspace of workspaces) {
      const truth = await saidBy(fresh, workspace);
      expect(JSON.stringify(truth)).not.toContain('lost');
      for (const server of [one, two]) expect(await saidBy(server, workspace)).toEqual(truth);
    }
    for (const server of [one, two]) await expect.poll(() => seenBy(server)).toEqual(seenBy(fresh));
    await expect.poll(() => seenBy(flowing)).toMatchObject({ daysAhead: 0, receiver: { mode: 'verify' } });
  });
});

describe.skipIf(missingPostgres)('replicas whose tables are restored without a word', () => {
  const postgres = usePostgres();

  test.each([
    ['and are not changed since', 0],
    ['and are changed as often since as before', 1],
  ])('say what a fresh one says, also if no connection is lost, %s', async (_, changes) => {
    const service = await startService(postgres(), frozen);
    const { one, two, schema, run, loseNotices } = service;
    const flowing = one.workspace(other);
    for (const workspace of [one, flowing]) await workspace.simulate.inboundMessage({ phone, body: 'kept' });
    await run(`
create schema "backup of ${schema}";
create table "backup of ${schema}".workspaces as table :schema.workspaces;
create table "backup of ${schema}".journal as table :schema.journal;
create table "backup of ${schema}".journals as table :schema.journals`);
    for (const workspace of [one, flowing]) await change(workspace);
    for (const server of [one, two]) for (const workspace of [one, flowing]) await saidBy(server, workspace);
    await loseNotices();
    await run(`
begin;
delete from :schema.journal;
delete from :schema.journals;
insert into :schema.journals select * from "backup of ${schema}".journals;
insert into :schema.journal select * from "backup of ${schema}".journal;
update :schema.workspaces w
set mark = b.mark, clock_flow = b.clock_flow, clock_position = b.clock_position, settings = b.settings
from "backup of ${schema}".workspaces b where b.number = w.number;
commit;
drop schema "backup of ${schema}" cascade`);
    const fresh = await startReplica(postgres(), schema, frozen);
    for (let count = 0; count < changes; count += 1) {
      await fresh.specGaps.set({ errorBody: 'text' });
      await fresh.faults.add(rule);
    }

    const truths = await Promise.all([one, flowing].map((workspace) => saidBy(fresh, workspace)));
    // Without a request, which would read what is true.
    for (const server of [one, two]) await expect.poll(() => seenBy(server)).toEqual(seenBy(fresh));
    await expect.poll(() => seenBy(flowing)).toMatchObject({ daysAhead: 0, receiver: { mode: 'verify' } });
    for (const server of [one, two]) {
      for (const [index, workspace] of [one, flowing].entries()) {
        expect(await saidBy(server, workspace)).toEqual(truths[index]);
      }
    }
  });
});
