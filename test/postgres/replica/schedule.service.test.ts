import { describe, expect, test } from 'vitest';
import { claimOf } from '../../server/store-conformance/opening.js';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { emptyWorkspace, openTwo, waitingWorkspace } from '../support/replicas.js';

const event = { id: 'event', contactId: 'contact', event: 'order', properties: {}, acceptedAt: 1 };
const frozen = { flow: 'frozen', now: 0 } as const;
/** So long that no lease runs out. */
const lease = '10m';

describe.skipIf(missingPostgres)('the schedule of a workspace', () => {
  const postgres = usePostgres();

  async function openBoth() {
    const { one, other } = await openTwo(postgres(), { lease });
    return [one.store, other.store] as const;
  }

  test('is empty for a workspace without work, and for one that does not exist', async () => {
    const [store] = await openBoth();
    await store.records.addWorkspace(emptyWorkspace('w'));
    for (const id of ['w', 'missing']) {
      const { schedule } = store.records.workspace(id);
      expect([await schedule.next(), await schedule.due(9e12), await schedule.isIdle(9e12)]).toEqual([
        undefined,
        [],
        true,
      ]);
    }
  });

  test('has the work that is due and the time of the next, until it is claimed', async () => {
    const [one, other] = await openBoth();
    await one.records.addWorkspace(waitingWorkspace({ deliveries: 20, run: 10 }, 'w', frozen));
    await one.records.addWorkspace(waitingWorkspace({ deliveries: 1, run: 1 }, 'v', frozen));
    const { schedule, journeys, outbox } = one.records.workspace('w');
    const others = other.records.workspace('w').schedule;
    const run = { kind: 'journey_run', runId: 'run' };
    const deliveries = { kind: 'deliveries', subscriptionId: 'subscription' };
    expect([await schedule.next(), await schedule.due(9), await schedule.isIdle(9)]).toEqual([10, [], true]);
    // A later delivery changes neither.
    await outbox.redeliver('delivery', 'later', 40);
    expect([await schedule.due(10), await schedule.isIdle(10)]).toEqual([[run], false]);
    expect(await schedule.due(20)).toEqual([deliveries, run]);

    const claimed = claimOf(await journeys.claimRun('run', 10));
    expect([await schedule.next(), await schedule.due(20)]).toEqual([20, [deliveries]]);
    // This replica knows what it does itself.
    expect([await schedule.isIdle(10), await others.isIdle(10), await others.isIdle(0)]).toEqual([
      true,
      false,
      false,
    ]);
    await journeys.saveRun(claimed.claim, { ...claimed.run, status: 'finished' });
    expect(await others.isIdle(10)).toBe(true);

    const [delivery] = await outbox.claimDue('subscription', 20, 10);
    expect([await schedule.next(), await schedule.due(20)]).toEqual([40, []]);
    expect([await schedule.isIdle(20), await others.isIdle(20)]).toEqual([true, false]);
    const attempt = { number: 1, startedAt: 20, signature: 's', error: 'refused' };
    await outbox.recordAttempt(claimOf(delivery).claim, attempt, { status: 'pending', dueAt: 30 });
    expect([await others.next(), await others.isIdle(20), await others.isIdle(30)]).toEqual([
      30,
      true,
      false,
    ]);
  });

  test('has the events that wait, and the sends whose replica closed', async () => {
    const [one, other] = await openBoth();
    const { state, ...rest } = waitingWorkspace({}, 'w', frozen);
    await one.records.addWorkspace({
      ...rest,
      state: { ...state, events: [event], waitingEventIds: ['event'] },
    });
    const { schedule, events, sends } = one.records.workspace('w');
    const others = other.records.workspace('w').schedule;
    expect([await schedule.due(0), await schedule.isIdle(0)]).toEqual([[{ kind: 'events' }], false]);
    const claimed = await events.claimNext();
    expect(claimed?.event).toEqual(event);
    expect([await schedule.due(0), await schedule.isIdle(0), await others.isIdle(0)]).toEqual([
      [],
      true,
      false,
    ]);

    await sends.begin(sendNamed('send'));
    expect([await others.due(0), await others.isIdle(0)]).toEqual([[], false]);
    await one.close();
    expect(await others.due(0)).toEqual([{ kind: 'events' }, { kind: 'sends' }]);
    const abandoned = await other.records.workspace('w').sends.claimAbandoned();
    expect(abandoned?.send.id).toBe('send');
    expect(await others.due(0)).toEqual([{ kind: 'events' }]);
  });
});
