import type { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../../../src/postgres/index.js';
import type { DueWork } from '../../../src/server/store/shared-store.js';
import { eventNamed } from '../../server/store-conformance/events.js';
import { claimOf } from '../../server/store-conformance/opening.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import {
  changed,
  emptyWorkspace,
  openMortal,
  openStore,
  openTwo,
  type Told,
  untilRenewed,
  waitingWorkspace,
} from '../support/replicas.js';

const deliveries: DueWork = { kind: 'deliveries', subscriptionId: 'subscription' };
const run: DueWork = { kind: 'journey_run', runId: 'run' };
const everything = { deliveries: 0, run: 0 };

/** So long that no sweep comes within a test. */
const long = '10m';
const short = '400ms';

describe.skipIf(missingPostgres)('due work', () => {
  const postgres = usePostgres();

  const isReported = (workspaceId: string, work: DueWork) => (told: Told) =>
    told.due.some(([id, due]) => id === workspaceId && JSON.stringify(due) === JSON.stringify(work));

  async function jobsOf(pool: Pool, schema: string) {
    const { rows } = await pool.query<{ key: string; run_at: Date }>(
      `select key, run_at from "${schema}_jobs".jobs where locked_at is null order by key`,
    );
    return rows.map(({ key, run_at }) => [key.split(':')[0], run_at.getTime()] as const);
  }

  test('is reported by a job at its time, by the clock of its workspace', async () => {
    const { store, told } = await openStore(postgres(), { lease: long });
    const year = 366 * 86_400_000;
    const due = Date.now() + year + 700;
    await store.records.addWorkspace(
      waitingWorkspace({ deliveries: due, run: due }, 'w', { flow: 'flowing', ahead: year }),
    );
    expect(await store.records.workspace('w').schedule.next()).toBe(due);
    await told.until(isReported('w', deliveries));
    await told.until(isReported('w', run));
    expect(Date.now() + year).toBeGreaterThanOrEqual(due);
  });

  test('has no jobs while the clock is frozen, and has them when it flows or moves', async () => {
    const { server } = postgres();
    const { store, told, schema } = await openStore(postgres(), { lease: long });
    const due = 10_000_000_000_000;
    await store.records.addWorkspace(
      waitingWorkspace({ deliveries: due, run: due }, 'w', { flow: 'frozen', now: 0 }),
    );
    expect(await jobsOf(server.pool, schema)).toEqual([]);
    const { settings, schedule } = store.records.workspace('w');
    const setAhead = (ahead: number) =>
      changed(settings, (now) => ({ ...now, clock: { flow: 'flowing', ahead } }));
    await schedule.beginMove();
    await setAhead(5);
    await schedule.endMove();
    expect(await jobsOf(server.pool, schema)).toEqual([
      ['deliveries', due - 5],
      ['journey_run', due - 5],
    ]);
    await changed(settings, (now) => ({ ...now, settings: { other: true } }));
    await schedule.beginMove();
    await setAhead(due);
    expect(told.due).toEqual([]);
    await schedule.endMove();
    await told.until(isReported('w', deliveries));
    await told.until(isReported('w', run));
    expect(await schedule.due(due)).toEqual([deliveries, run]);
    await schedule.beginMove();
    await setAhead(0);
    await schedule.endMove();
    expect(await jobsOf(server.pool, schema)).toEqual([
      ['deliveries', due],
      ['journey_run', due],
    ]);
  });

  test('has a job at the earliest of its times', async () => {
    const { server } = postgres();
    const { store, schema } = await openStore(postgres(), { lease: long });
    await store.records.addWorkspace(emptyWorkspace('w'));
    const wakeAt = (time: number) =>
      server.pool.query(
        `select "${schema}".wake_at(number, 'deliveries', 's', $1) from "${schema}".workspaces`,
        [time],
      );
    await wakeAt(9_000_000_000_000);
    await wakeAt(8_000_000_000_000);
    await wakeAt(9_000_000_000_000);
    expect(await jobsOf(server.pool, schema)).toEqual([['deliveries', 8_000_000_000_000]]);
  });

  test('has a job when it waits after a failed attempt, after an event and after a step', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    // It is not open, so that nothing else adds or runs jobs.
    const store = postgresStore({ connectionString, schema });
    onTestFinished(() => store.close());
    const later = 9_000_000_000_000;
    await store.records.addWorkspace(waitingWorkspace({ deliveries: 0, run: 0 }, 'w'));
    await server.pool.query(`delete from "${schema}_jobs"._private_jobs`);
    const workspace = store.records.workspace('w');
    const { outbox, journeys, events } = workspace;

    const [delivery] = await outbox.claimDue('subscription', 1, 1);
    const attempt = { number: 1, startedAt: 1, signature: 's', error: 'refused' };
    await outbox.recordAttempt(claimOf(delivery).claim, attempt, { status: 'pending', dueAt: later });
    expect(await jobsOf(server.pool, schema)).toEqual([['deliveries', later]]);

    const step = claimOf(await journeys.claimRun('run', 1));
    await journeys.saveRun(step.claim, { ...step.run, position: 1, dueAt: later + 1_000 });
    await workspace.recordEvent(eventNamed('event', 'contact'));
    const event = claimOf(await events.claimNext());
    const started = { ...step.run, id: 'started', startedAt: 1, dueAt: later + 2_000 };
    await workspace.completeEvent(event.claim, [started, { ...started, id: 'over', status: 'finished' }]);
    expect(await jobsOf(server.pool, schema)).toEqual([
      ['deliveries', later],
      ['journey_run', later + 1_000],
      ['journey_run', later + 2_000],
    ]);
  });

  test('is reported to another replica when the one that has claimed it dies', async () => {
    const options = { schema: await postgres().freshSchema(), lease: short } as const;
    const mortal = await openMortal(postgres(), options);
    await mortal.store.records.addWorkspace(waitingWorkspace(everything, 'w'));
    const { outbox, journeys, schedule } = mortal.store.records.workspace('w');
    const [delivery] = await outbox.claimDue('subscription', Date.now(), 10);
    expect(delivery?.delivery.id).toBe('delivery');
    expect(await journeys.claimRun('run', Date.now())).toMatchObject({ run: { id: 'run' } });
    const now = Date.now();
    expect(await schedule.isIdle(now)).toBe(true);
    const { store, told } = await openStore(postgres(), options);
    const seen = store.records.workspace('w').schedule;
    expect(await seen.isIdle(now)).toBe(false);
    expect([await seen.due(now), await seen.next()]).toEqual([[], undefined]);
    await mortal.die();
    await told.until(isReported('w', deliveries));
    await told.until(isReported('w', run));
    expect(await seen.isIdle(now)).toBe(false);
    expect(await seen.due(now)).toEqual([deliveries, run]);
    const [taken] = await store.records.workspace('w').outbox.claimDue('subscription', Date.now(), 10);
    expect(taken?.delivery.id).toBe('delivery');
    expect(store.counters().expiredClaims).toBeGreaterThanOrEqual(2);
  });

  test('stays claimed while its replica renews its claims', async () => {
    const { server } = postgres();
    const { one, other, schema } = await openTwo(postgres(), { lease: '5s' });
    await one.store.records.addWorkspace(waitingWorkspace(everything, 'w'));
    const { outbox } = one.store.records.workspace('w');
    const [claimed] = await outbox.claimDue('subscription', Date.now(), 10);
    await untilRenewed(server.pool, `select lease_until as until from "${schema}".claims`);
    expect(await other.store.records.workspace('w').outbox.claimDue('subscription', Date.now(), 10)).toEqual(
      [],
    );
    const attempt = { number: 1, startedAt: 1, signature: 's' };
    const settled = await outbox.recordAttempt(claimOf(claimed).claim, attempt, { status: 'delivered' });
    expect(settled?.status).toBe('delivered');
  });

  test('can be claimed by another replica as soon as the one that has claimed it closes', async () => {
    const { one, other } = await openTwo(postgres(), { lease: long });
    await one.store.records.addWorkspace(waitingWorkspace(everything, 'w'));
    await one.store.records.workspace('w').outbox.claimDue('subscription', Date.now(), 10);
    expect(await other.store.health()).toMatchObject({ state: 'ok', replicas: 2 });
    await one.store.close();
    await one.store.close();
    expect(
      await other.store.records.workspace('w').outbox.claimDue('subscription', Date.now(), 10),
    ).toHaveLength(1);
    expect(await other.store.health()).toMatchObject({ state: 'ok', replicas: 1 });
  });
});
