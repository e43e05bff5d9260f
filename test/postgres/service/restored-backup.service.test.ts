import type { ReferenceServer, ReferenceWorkspace, WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { controlOperationList } from '../../../src/server/subjects/control-operations.js';
import { control } from '../../server/control-routes/support.js';
import { missingPostgres, useOwnPostgres, usePostgres } from '../support/database.js';
import { startReplica, startService } from '../support/replicas-of-a-service.js';

// The database goes back to a backup while replicas run. What they have seen since is a future that never comes.

const phone = '+15551234567';
const day = 86_400_000;
const rule = { operation: 'templates.list', fault: { kind: 'status', status: 500 }, nth: 99 } as const;
const frozen: WorkspaceSeed = {
  clock: 'frozen',
  now: '2020-01-01T09:00:00Z',
  faults: [rule, { ...rule, nth: 98 }],
  specGaps: { unknownIdStatus: 410 },
};

/** The other workspace, whose clock flows, in the hands of a replica. */
const other: WorkspaceSeed = { apiKey: 'key_of_the_other_workspace', clock: 'flowing', faults: [rule] };

/** Everything that one can ask a workspace without a parameter. */
const questions = controlOperationList
  .filter(({ method, path, stream }) => method === 'GET' && !path.includes(':') && stream === undefined)
  .map(({ path }) => path.slice('/control'.length));

/** What is said of a workspace over HTTP. */
async function saidBy(server: ReferenceServer, workspace: Pick<ReferenceWorkspace, 'apiKey'>) {
  const ask = control(server, workspace);
  const responses = questions.map(async (path) => {
    const { status, body } = await ask('GET', path);
    return [path, { status, body: withoutTheTime(body) }] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
}

/** Replaces what goes on with the machine's time by how many days it is ahead. */
function withoutTheTime(body: unknown): unknown {
  const names = ['now', 'time', 'takenAt'];
  const text = JSON.stringify(body, (name, value: unknown) => {
    if (!names.includes(name)) return value;
    const time = typeof value === 'string' ? Date.parse(value) : Number(value);
    return aheadOf(time) ?? value;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** How far a flowing time is ahead of the machine's. The frozen ones are years ago. */
function aheadOf(time: number): string | undefined {
  const days = Math.round((time - Date.now()) / day);
  return Math.abs(days) < 500 ? `${Math.abs(days)} days ahead` : undefined;
}

/** What a process itself says of a workspace that it holds, as far as it says it at once. */
function seenBy({ clock, specGaps, receiver }: ReferenceWorkspace) {
  const now = aheadOf(clock.now()) ?? clock.now();
  return { now, isFrozen: clock.isFrozen, specGaps: specGaps.read(), receiver: receiver.read() };
}

const asBefore = { now: '0 days ahead', receiver: { mode: 'verify' } };

/** Changes everything that a replica keeps of a workspace. */
async function change(workspace: ReferenceWorkspace): Promise<void> {
  await workspace.clock.advance('30d');
  const [first] = await workspace.faults.list();
  await workspace.faults.remove(first?.id ?? '');
  await workspace.faults.add({ delivery: 'any', fault: { kind: 'duplicate' } });
  await workspace.specGaps.set({ unknownIdStatus: 404, listBody: 'array' });
  await workspace.receiver.set({ mode: 'error' });
  await workspace.templates.put({ id: 'lost', body: 'Lost' });
  await workspace.quota.set({ quota: 1 });
  await workspace.client.contacts.upsert({ phone: '+15557654321' });
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
    const deleted = two.workspace({ apiKey: 'deleted_after_the_backup' });
    await deleted.settled();
    const restore = await postgres().server.backUp();
    await expect.poll(() => one.quota.read().catch(() => 'away'), { timeout: 20_000 }).not.toBe('away');
    for (const workspace of workspaces) await change(workspace);
    await deleted.close();
    const created = two.workspace({ apiKey: 'created_after_the_backup' });
    await created.settled();
    for (const server of [one, two]) {
      for (const workspace of [...workspaces, created]) await saidBy(server, workspace);
    }
    const waiting = two.journal.waitFor('message', ({ body }) => body === 'after it', { timeout: '1m' });
    await two.journal.entries(); // by then, the wait has begun
    await restore();
    const fresh = await startReplica(postgres(), service.schema, frozen);

    for (const workspace of [...workspaces, created, deleted]) {
      const truth = await saidBy(fresh, workspace);
      expect(JSON.stringify(truth)).not.toContain('lost');
      for (const server of [one, two]) expect(await saidBy(server, workspace)).toEqual(truth);
    }
    for (const server of [one, two]) await expect.poll(() => seenBy(server)).toEqual(seenBy(fresh));
    await expect(created.contacts.list()).rejects.toThrow('This workspace is closed');
    await fresh.simulate.inboundMessage({ phone, body: 'after it' });
    expect(await waiting).toMatchObject({ body: 'after it' });
    await expect.poll(() => seenBy(flowing)).toMatchObject(asBefore);
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
    await expect.poll(() => seenBy(flowing)).toMatchObject(asBefore);
    for (const server of [one, two]) {
      for (const [index, workspace] of [one, flowing].entries()) {
        expect(await saidBy(server, workspace)).toEqual(truths[index]);
      }
    }
  });
});
