import { describe, expect, test } from 'vitest';
import { noCounts } from '../../../src/postgres/replica/replica-parts.js';
import { agesOf, forgetOld } from '../../../src/postgres/replica/retention.js';
import { sweep } from '../../../src/postgres/replica/sweep.js';
import type { SubscriptionRecord } from '../../../src/server/model/records.js';
import type { ClaimedDelivery, WorkspaceStore } from '../../../src/server/store/store.js';
import { claimOf, listed, workspaceRecord } from '../../server/store-conformance/opening.js';
import { outboxEvent, receive, statusesOf } from '../../server/store-conformance/receiving.js';
import { subscription } from '../../server/store-conformance/subscriptions.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { useReplicas } from '../support/spread-store.js';

const attempt = { number: 1, startedAt: 1, signature: 's' };

describe.skipIf(missingPostgres)('the deliveries of a message', () => {
  const openReplicas = useReplicas(usePostgres());

  /** A workspace at two replicas, with these subscriptions. */
  async function open(...subscriptions: readonly Partial<SubscriptionRecord>[]) {
    const { replicas, database } = await openReplicas(2);
    const record = workspaceRecord();
    const [one, two] = [claimOf(replicas[0]), claimOf(replicas[1])];
    await one.createWorkspace(record);
    const workspace = one.workspace(record.id);
    for (const given of subscriptions) await workspace.subscriptions.create({ ...subscription, ...given });
    const count = async (table: string) => (await database.query(`select from :schema.${table}`)).length;
    const rows = async () => [await count('messages'), await count('fan_outs'), await count('deliveries')];
    return {
      workspace,
      other: two.workspace(record.id),
      database,
      rows,
      async sweep() {
        await database.query("update :schema.chores set done_at = '-infinity'");
        await sweep(database, 0, noCounts(), async () => true);
      },
    };
  }

  const ids = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `s${index}` }));
  const deliver = async (workspace: WorkspaceStore, { claim }: ClaimedDelivery) =>
    workspace.outbox.recordAttempt(claim, attempt, { status: 'delivered' });

  test('become rows one by one, when they are claimed', async () => {
    const { workspace, other, rows } = await open(...ids(20));
    await receive(workspace, outboxEvent(1), outboxEvent(2));
    expect(await rows()).toEqual([2, 2, 0]);
    expect(await workspace.outbox.claimDue('s7', 9, 1)).toMatchObject([{ delivery: { createdAt: 1 } }]);
    expect(await rows()).toEqual([2, 2, 1]);
    expect(await other.outbox.claimDue('s7', 9, 9)).toMatchObject([{ delivery: { createdAt: 2 } }]);
    expect(await other.outbox.claimDue('s7', 9, 9)).toEqual([]);
    expect(await rows()).toEqual([2, 2, 2]);
  });

  test('are listed before they are claimed, in the order of the subscriptions, by every filter', async () => {
    const { workspace, other, rows } = await open(...ids(3));
    await receive(workspace, outboxEvent(1), outboxEvent(2));
    await workspace.outbox.claimDue('s1', 9, 1);
    expect(await listed({ page: (_, range) => other.outbox.page({ status: 'failed' }, range) })).toEqual([]);
    expect(await rows()).toEqual([2, 2, 1]);
    const pending = { status: 'pending', subscriptionId: 's1' } as const;
    expect(await listed({ page: (_, range) => other.outbox.page(pending, range) })).toMatchObject([
      { createdAt: 1 },
      { createdAt: 2 },
    ]);
    expect(await rows()).toEqual([2, 2, 2]);
    const ofOne = await listed({ page: (_, range) => other.outbox.page({ subscriptionId: 's2' }, range) });
    expect(ofOne).toMatchObject([
      { subscriptionId: 's2', status: 'pending', attempts: [], dueAt: 1, createdAt: 1 },
      { subscriptionId: 's2', status: 'pending', attempts: [], dueAt: 2, createdAt: 2 },
    ]);
    expect(await rows()).toEqual([2, 2, 4]);
    const all = await listed(other.outbox);
    expect(all.map(({ createdAt, subscriptionId }) => `${createdAt} ${subscriptionId}`)).toEqual([
      ...['1 s0', '1 s1', '1 s2'],
      ...['2 s0', '2 s1', '2 s2'],
    ]);
    expect(all.map(({ id }) => id)).toEqual([...new Set(all.map(({ id }) => id))]);
  });

  test('are found, redelivered, read as a state and cancelled before they are rows', async () => {
    const { workspace, other, rows } = await open(...ids(2));
    await receive(workspace, outboxEvent(1));
    const { deliveries } = await workspace.readState();
    expect(deliveries).toMatchObject([{ subscriptionId: 's0', status: 'pending' }, { subscriptionId: 's1' }]);
    expect(await rows()).toEqual([1, 1, 0]);
    await other.deleteSubscription('s0');
    const [first, second] = deliveries;
    expect(await other.outbox.redeliver(claimOf(second).id, 'again', 5)).toMatchObject({
      redeliveryOf: second?.id,
    });
    expect(await workspace.outbox.find(claimOf(first).id)).toMatchObject({
      status: 'cancelled',
      attempts: [],
    });
    expect(await statusesOf(workspace)).toEqual(['cancelled', 'pending', 'pending']);
    await workspace.replaceState(await workspace.readState());
    expect(await statusesOf(other)).toEqual(['cancelled', 'pending', 'pending']);
    expect(await rows()).toEqual([3, 0, 3]);
  });

  test('are in the schedule before they are rows', async () => {
    const { workspace } = await open(...ids(1));
    const { schedule } = workspace;
    const looks = [
      [() => schedule.next(), 5],
      [() => schedule.due(5), [{ kind: 'deliveries', subscriptionId: 's0' }]],
      [() => schedule.isIdle(5), false],
    ] as const;
    for (const [look, seen] of looks) {
      await receive(workspace, outboxEvent(5));
      expect(await look()).toEqual(seen);
      for (const each of await workspace.outbox.claimDue('s0', 5, 9)) await deliver(workspace, each);
    }
    expect(await schedule.isIdle(5)).toBe(true);
  });

  test('are passed over by a subscription that came later', async () => {
    const { workspace, database } = await open(...ids(1));
    await receive(workspace, outboxEvent(1), outboxEvent(2));
    await workspace.subscriptions.create({ ...subscription, id: 'later' });
    const cursors = await database.query(
      `select reached = (select max(place) from :schema.messages) as at_the_end from :schema.cursors order by subscription_id`,
    );
    expect(cursors).toEqual([{ at_the_end: true }, { at_the_end: false }]);
  });

  test('reach each subscription once, though two replicas receive and claim at once', async () => {
    const { workspace, other } = await open(...ids(3));
    const each = 40;
    const claimed: string[] = [];
    const receiving = Promise.all(
      [workspace, other].map(async (replica) => {
        for (let index = 0; index < each; index += 1) {
          await replica.receiveMessage({
            contact: {
              newId: `${replica === other} ${index}`,
              phone: `${replica === other} ${index}`,
              properties: {},
            },
            consent: undefined,
            compose: () => [outboxEvent(index)],
          });
        }
      }),
    );
    const claiming = ids(3).map(async ({ id }) => {
      for (let left = 2 * each, turn = 0; left > 0; turn += 1) {
        const replica = turn % 2 === 0 ? workspace : other;
        const due = await replica.outbox.claimDue(id, 1e6, 3);
        for (const each of due) await deliver(replica, each);
        claimed.push(...due.map(({ delivery }) => delivery.id));
        left -= due.length;
      }
    });
    await Promise.all([receiving, ...claiming]);
    expect(new Set(claimed).size).toBe(3 * 2 * each);
    expect(await statusesOf(workspace)).toEqual(claimed.map(() => 'delivered'));
  });

  test.each([
    ['a message', (workspace: WorkspaceStore) => receive(workspace, outboxEvent(2))],
    ['a redelivery', (workspace: WorkspaceStore) => workspace.outbox.redeliver('first', 'again', 2)],
    ['the deletion of a subscription', (workspace: WorkspaceStore) => workspace.deleteSubscription('s0')],
  ])(
    'have the order in which their messages commit: %s waits for a message that has its place',
    async (_, change) => {
      const { workspace, other, database } = await open(...ids(1));
      await receive(workspace, { ...outboxEvent(1), newDeliveryId: () => 'first' });
      await listed(workspace.outbox);
      const done: string[] = [];
      const { changing } = await database.transaction(async (transaction) => {
        await transaction.query(
          'select :schema.lock_messages(number) from :schema.workspaces where id = $1',
          [workspace.id],
        );
        const changing = change(other).then(() => done.push('change'));
        await untilItHolds('the change waits', async () => {
          const waiting = await database.query(
            "select from pg_locks where not granted and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
          );
          return waiting.length === 1;
        });
        done.push('commit');
        return { changing };
      });
      await changing;
      expect(done).toEqual(['commit', 'change']);
    },
  );

  test('are no longer kept for subscriptions when all have their rows', async () => {
    const { workspace, rows, sweep } = await open(...ids(2), { id: 'disabled', enabled: false });
    await receive(workspace, outboxEvent(1), outboxEvent(2));
    await workspace.outbox.claimDue('s0', 9, 9);
    await sweep();
    expect((await rows())[1]).toBe(2);
    await workspace.outbox.claimDue('s1', 9, 1);
    await sweep();
    expect((await rows())[1]).toBe(1);
    await receive(workspace, outboxEvent(3));
    expect(await workspace.outbox.claimDue('s1', 9, 9)).toHaveLength(2);
    expect(await workspace.outbox.claimDue('s0', 9, 9)).toHaveLength(1);
    await sweep();
    expect((await rows())[1]).toBe(0);
  });

  test('are kept with the bytes until the last of them is forgotten', async () => {
    const { workspace, database, rows, sweep } = await open(...ids(3));
    await receive(workspace, outboxEvent(1));
    const forget = async () => {
      await sweep();
      await database.query("update :schema.deliveries set written_at = now() - interval '2 days'");
      const rest = async () => true;
      await forgetOld(database, agesOf({ deliveries: '1d' }), rest, () => {});
    };
    const claim = async (id: string) => claimOf((await workspace.outbox.claimDue(id, 9, 9))[0]);
    await deliver(workspace, await claim('s0'));
    await forget();
    expect(await rows(), 'while others are no rows yet').toEqual([1, 1, 0]);
    const waiting = await claim('s1');
    await deliver(workspace, await claim('s2'));
    await forget();
    expect(await rows(), 'while one waits').toEqual([1, 0, 1]);
    expect(await listed(workspace.outbox)).toMatchObject([{ body: new Uint8Array([0, 255, 1]) }]);
    await deliver(workspace, waiting);
    await forget();
    expect(await rows()).toEqual([0, 0, 0]);
    expect(await workspace.countForgotten()).toMatchObject({ deliveries: 3 });
  });

  test('wake their subscriptions after the replica that received them died', async () => {
    const { workspace, database, sweep } = await open(...ids(2));
    await receive(workspace, outboxEvent(1));
    await workspace.outbox.claimDue('s0', 9, 9);
    await sweep();
    const jobs = await database.query(
      `select payload->>'id' as id from ${database.schema.replace(/"$/, '_jobs"')}._private_jobs`,
    );
    expect(jobs.map((row) => Object.values(Object(row)))).toEqual([['s1']]);
  });
});
