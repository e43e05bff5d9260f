import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventNamed } from '../../server/store-conformance/events.js';
import { runNamed, sendOncePerStep } from '../../server/store-conformance/journey-runs.js';
import { atOnce, claimOf, listed, workspaceRecord } from '../../server/store-conformance/opening.js';
import { outboxEvent, receive, statusesOf } from '../../server/store-conformance/receiving.js';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { subscription } from '../../server/store-conformance/subscriptions.js';
import { withResolvers } from '../../waiting.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { type OpenReplicas, useReplicas } from '../support/spread-store.js';

const succeeded = { number: 1, startedAt: 1, signature: 'ab', status: 200 };
const failed = { number: 1, startedAt: 1, signature: 'ab', error: 'refused' };

describe.skipIf(missingPostgres)('two replicas', () => {
  const openReplicas = useReplicas(usePostgres());

  /** Two replicas, and a workspace as each of them sees it. */
  async function open(
    record: Parameters<typeof workspaceRecord>[0] = {},
    options: Parameters<OpenReplicas>[1] = {},
  ) {
    const { replicas, database, endLeases } = await openReplicas(2, options);
    const [one, two] = [claimOf(replicas[0]), claimOf(replicas[1])];
    const add = async (added: typeof record = {}) => {
      const workspace = workspaceRecord(added);
      await one.createWorkspace(workspace);
      return [one.workspace(workspace.id), two.workspace(workspace.id)] as const;
    };
    return { one, two, add, both: await add(record), database, endLeases };
  }

  test('create one contact for a phone, and keep every property', async () => {
    const { both } = await open();
    const phones = ['+12025550100', '+12025550101', '+12025550102'];
    const upserted = await atOnce(40, (i) =>
      Promise.all(
        both.map(async ({ contacts }, replica) => {
          // One after the other too, so that the replicas meet in several rounds.
          const made = [];
          for (const phone of phones) {
            const properties = { [`p${i}_${replica}`]: i };
            made.push(await contacts.upsert({ newId: randomUUID(), phone, properties }, 'merge'));
          }
          return made;
        }),
      ),
    );
    expect(upserted.flat(2).filter(({ created }) => created)).toHaveLength(3);
    const contacts = await listed(both[0].contacts);
    expect(contacts).toHaveLength(3);
    for (const { properties } of contacts) expect(Object.keys(properties)).toHaveLength(80);
    await atOnce(20, (i) =>
      Promise.all(
        both.map((replica, index) =>
          replica.contacts.update(contacts[0]?.id ?? '', { [`u${i}_${index}`]: true }),
        ),
      ),
    );
    const updated = await both[1].contacts.findByPhone(contacts[0]?.phone ?? '');
    expect(Object.keys(updated?.properties ?? {})).toHaveLength(120);
  });

  test('run at most as many attempts of a subscription as its limit, and fewer while it fails', async () => {
    const { both, endLeases } = await open({}, { running: { most: 16, whileFailing: 2 } });
    await both[0].subscriptions.create(subscription);
    await receive(both[0], ...Array.from({ length: 60 }, () => outboxEvent()));
    const claims = await atOnce(20, (i) => both[i % 2 === 0 ? 0 : 1].outbox.claimDue(subscription.id, 0, 2));
    const running = claims.flat();
    expect(running).toHaveLength(16);
    const [first, ...others] = running;
    await both[1].outbox.recordAttempt(claimOf(first).claim, failed, { status: 'failed' });
    expect(await both[0].outbox.claimDue(subscription.id, 0, 5)).toEqual([]);
    for (const { claim } of others) await both[0].outbox.release(claim);
    const probes = await atOnce(10, (i) => both[i % 2 === 0 ? 0 : 1].outbox.claimDue(subscription.id, 0, 1));
    expect(probes.flat()).toHaveLength(2);
    const [probe] = probes.flat();
    await both[0].outbox.recordAttempt(claimOf(probe).claim, succeeded, { status: 'delivered' });
    expect(await both[1].outbox.claimDue(subscription.id, 0, 100)).toHaveLength(15);
    // A lease that has run out holds nobody back.
    await endLeases();
    expect(await both[1].outbox.claimDue(subscription.id, 0, 100)).toHaveLength(16);
  });

  test('renew the leases of their own claims alone', async () => {
    const { one, two, both, endLeases } = await open({ quota: 2 });
    await both[0].subscriptions.create(subscription);
    await receive(both[0], outboxEvent(), outboxEvent());
    const [kept] = await both[0].outbox.claimDue(subscription.id, 0, 1);
    const [settled] = await both[0].outbox.claimDue(subscription.id, 0, 1);
    const send = claimOf(await both[0].sends.begin(sendNamed('a')));
    await both[0].outbox.recordAttempt(claimOf(settled).claim, succeeded, { status: 'delivered' });
    await endLeases();
    // Nobody else's.
    await two.renewLeases();
    await one.renewLeases();
    expect(await both[1].outbox.claimDue(subscription.id, 0, 10)).toEqual([]);
    expect(await both[1].sends.claimAbandoned()).toBeUndefined();
    await both[0].sends.settle(send.claim, { accepted: true });
    await endLeases();
    const [taken] = await both[1].outbox.claimDue(subscription.id, 0, 10);
    expect(taken?.delivery.id).toBe(kept?.delivery.id);
    await endLeases();
    // What another replica has claimed meanwhile is not this one's any more.
    await one.renewLeases();
    expect(await both[0].outbox.claimDue(subscription.id, 0, 10)).toHaveLength(1);
  });

  test('take over what a replica releases when it closes', async () => {
    const { one, both } = await open({ quota: 2 });
    const deleted = { ...subscription, id: 'deleted' };
    for (const each of [subscription, deleted]) await both[0].subscriptions.create(each);
    const phone = '+12025550100';
    await both[0].contacts.upsert({ newId: 'one', phone, properties: {} }, 'merge');
    await both[0].recordEvent(eventNamed('first'));
    await both[0].completeEvent(claimOf(await both[0].events.claimNext()).claim, [runNamed('run')]);
    await both[0].recordEvent(eventNamed('second'));
    await receive(both[0], outboxEvent());

    const send = claimOf(await both[0].sends.begin(sendNamed('a')));
    const event = claimOf(await both[0].events.claimNext());
    const run = claimOf(await both[0].journeys.claimRun('run', 10));
    for (const { id } of [subscription, deleted]) {
      expect(await both[0].outbox.claimDue(id, 0, 1)).toHaveLength(1);
    }
    await both[0].deleteSubscription(deleted.id);
    expect(await both[1].events.claimNext()).toBeUndefined();
    await one.releaseAll();

    expect((await both[1].sends.claimAbandoned())?.send).toEqual(send.send);
    expect((await both[1].events.claimNext())?.event).toEqual(event.event);
    expect((await both[1].journeys.claimRun('run', 10))?.run).toEqual(run.run);
    expect(await both[1].outbox.claimDue(subscription.id, 0, 1)).toHaveLength(1);
    expect(await statusesOf(both[1])).toEqual(['pending', 'cancelled']);
  });

  test('send once for each step of a journey of each workspace, whichever repeats the step', async () => {
    const { both, add, endLeases } = await open({ quota: 5 });
    const [, other] = await add({ quota: 5 });
    for (const workspace of [both[0], other]) {
      await workspace.contacts.upsert({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
      await workspace.recordEvent(eventNamed('first'));
      await workspace.completeEvent(claimOf(await workspace.events.claimNext()).claim, [runNamed('run')]);
    }
    const sendOf = (id: string) => ({ ...sendNamed(id), journeyRunId: 'run' });

    const lost = claimOf(await both[0].journeys.claimRun('run', 10));
    const first = claimOf(await both[0].sends.begin(sendOf('a'), 0));
    expect(await both[0].sends.settle(first.claim, { accepted: true })).toBe(true);
    // Its process stands still, and does not come to save the run.
    await endLeases();
    const { claim, run } = claimOf(await both[1].journeys.claimRun('run', 10));
    expect(await both[1].sends.begin(sendOf('b'), 0)).toBeUndefined();
    expect(await both[1].sends.findOfStep('run', 0)).toEqual({ ...first.send, status: 'sent' });
    expect(await both[0].sends.begin(sendOf('c'), 0)).toBeUndefined();
    claimOf(await other.journeys.claimRun('run', 10));
    const beside = claimOf(await other.sends.begin(sendOf('b'), 0));
    expect(await other.sends.settle(beside.claim, { accepted: true })).toBe(true);
    expect(await both[1].journeys.saveRun(claim, { ...run, position: 1 })).toBe(true);
    expect(await both[0].sends.begin(sendOf('d'), 1)).toBeUndefined();
    expect(await both[0].journeys.saveRun(lost.claim, { ...run, position: 1 })).toBe(false);

    expect(await listed(both[0].sends)).toEqual([{ ...first.send, status: 'sent' }]);
    expect(await both[0].sends.readQuota()).toMatchObject({ quota: 4 });
    // The next step has a send of its own.
    claimOf(await both[0].journeys.claimRun('run', 10));
    expect(claimOf(await both[0].sends.begin(sendOf('e'), 1)).send.id).toBe('e');
    expect(await both[0].sends.readQuota()).toMatchObject({ quota: 3 });
    expect(await listed(other.sends)).toEqual([{ ...beside.send, status: 'sent' }]);
    expect(await other.sends.readQuota()).toMatchObject({ quota: 4 });
  });

  test('pay once for each step that one of them takes again, in each workspace', async () => {
    const { both, add } = await open();
    const workspaces = [both[0], (await add())[1]];
    for (const { contacts } of workspaces)
      await contacts.upsert({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
    await Promise.all(workspaces.map(sendOncePerStep));
  });

  test('cancel what a dead replica had claimed for a deleted subscription', async () => {
    const { both, endLeases } = await open();
    await both[0].subscriptions.create(subscription);
    await receive(both[0], outboxEvent());
    expect(await both[0].outbox.claimDue(subscription.id, 0, 1)).toHaveLength(1);
    await both[1].deleteSubscription(subscription.id);
    await both[1].outbox.claimDue(subscription.id, 0, 1);
    expect(await statusesOf(both[1])).toEqual(['pending']);
    await endLeases();
    expect(await both[1].outbox.claimDue(subscription.id, 0, 1)).toEqual([]);
    expect(await statusesOf(both[1])).toEqual(['cancelled']);
  });

  test('deliver nothing to a subscription that the other deletes meanwhile', async () => {
    const { both } = await open();
    for (let round = 0; round < 10; round += 1) {
      await both[0].subscriptions.create(subscription);
      await receive(both[0], outboxEvent());
      const [claimed] = await both[0].outbox.claimDue(subscription.id, 0, 1);
      await Promise.all([
        atOnce(5, () => receive(both[0], outboxEvent())),
        both[0].outbox.recordAttempt(claimOf(claimed).claim, failed, { status: 'pending', dueAt: 1 }),
        both[1].deleteSubscription(subscription.id),
        atOnce(5, () => receive(both[1], outboxEvent())),
      ]);
      expect(new Set(await statusesOf(both[1]))).toEqual(new Set(['cancelled']));
    }
  });

  test('lose no record and no quota when everything happens at once', async () => {
    const { both } = await open({ quota: 1_000 });
    await both[0].subscriptions.create(subscription);
    const state = await both[0].readState();
    await atOnce(30, async (i) => {
      const replica = both[i % 2 === 0 ? 0 : 1];
      const phone = `+1202555010${i % 5}`;
      const { contact } = await replica.contacts.upsert(
        { newId: randomUUID(), phone, properties: {} },
        'merge',
      );
      await replica.recordEvent(eventNamed(`event_${i}`, contact.id));
      await receive(replica, outboxEvent(), outboxEvent());
      const event = await replica.events.claimNext();
      if (event) await replica.completeEvent(event.claim, [runNamed(`run_${i}`, event.event.contactId)]);
      const begun = await replica.sends.begin(sendNamed(`send_${i}`));
      if (begun) await replica.sends.settle(begun.claim, { accepted: false, refund: true });
      if (i % 7 === 0) await replica.deleteContact(contact.id);
      if (i % 11 === 0) await replica.replaceState(state);
      const [claimed] = await replica.outbox.claimDue(subscription.id, 0, 1);
      if (claimed) await replica.outbox.recordAttempt(claimed.claim, succeeded, { status: 'delivered' });
    });
    const left = await both[1].readState();
    const ids = new Set(left.contacts.map(({ id }) => id));
    expect(left.workspace.quota).toBe(1_000);
    expect([...left.events, ...left.journeyRuns].filter(({ contactId }) => !ids.has(contactId))).toEqual([]);
    await both[0].replaceState(left);
    expect(await both[1].readState()).toEqual(left);
  });

  test('send the step of a journey for the latest of their claims of its run', async () => {
    const { both, endLeases } = await open({ quota: 5 });
    const [one] = both;
    await one.contacts.upsert({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
    await one.recordEvent(eventNamed('first'));
    await one.completeEvent(claimOf(await one.events.claimNext()).claim, [
      runNamed('run'),
      runNamed('other'),
    ]);
    claimOf(await one.journeys.claimRun('run', 10));
    // The replica stalls until its lease is over, and claims the run again.
    await endLeases();
    claimOf(await one.journeys.claimRun('run', 10));
    claimOf(await one.journeys.claimRun('other', 10));

    expect(await one.sends.begin({ ...sendNamed('a'), journeyRunId: 'run' }, 0)).toBeDefined();
    expect(await one.sends.begin({ ...sendNamed('b'), journeyRunId: 'other' }, 0)).toBeDefined();
  });

  test('cancel only the deliveries of the workspace whose subscription is deleted', async () => {
    const { both, add } = await open();
    const [[one], [, two]] = [both, await add()];
    for (const workspace of [one, two]) {
      await workspace.subscriptions.create(subscription);
      await receive(workspace, outboxEvent());
    }
    await one.deleteSubscription(subscription.id);

    expect(await statusesOf(one)).toEqual(['cancelled']);
    expect(await statusesOf(two)).toEqual(['pending']);
    expect(await two.outbox.claimDue(subscription.id, 0, 1)).toHaveLength(1);
  });

  test('know the revoked keys of each workspace', async () => {
    const { one, two, both, add } = await open();
    const [[revoking], [other]] = [both, await add()];
    await one.addApiKey(revoking.id, 'key');
    await one.removeApiKey(revoking.id, 'key');

    expect(await two.hasRevoked(revoking.id, 'key')).toBe(true);
    expect(await two.hasRevoked(revoking.id, 'another key')).toBe(false);
    expect(await two.hasRevoked(other.id, 'key')).toBe(false);
  });

  test('merge and replace the properties of one contact at once, each in its turn', async () => {
    const { contacts } = (await open()).both[0];
    const upserts = (['merge', 'replace', 'merge'] as const).map((existing, index) =>
      contacts.upsert(
        { newId: 'contact', phone: '+12025550100', properties: { [`p${index}`]: true } },
        existing,
      ),
    );
    const upserted = await Promise.all(upserts);
    expect(upserted.map(({ contact }) => Object.keys(contact.properties))).toEqual([
      ['p0'],
      ['p1'],
      ['p1', 'p2'],
    ]);
    expect(await contacts.findById('contact')).toEqual(upserted[2]?.contact);
  });

  test('read the state of one moment, although a send begins meanwhile', async () => {
    const { both, database } = await open({ quota: 5 });
    const [one, two] = both;
    // A lock on the table holds the read of the state after it has read the quota.
    const [locked, sent] = [withResolvers(), withResolvers()];
    const holding = database.transaction(async (transaction) => {
      await transaction.query('lock table :schema.definitions in access exclusive mode');
      locked.resolve();
      await sent.promise;
    });
    await locked.promise;
    const reading = two.readState();
    await untilItHolds('the state is being read', async () => {
      const waiting = await database.query(
        `select from pg_locks where not granted and relation = ':schema.definitions'::regclass`,
      );
      return waiting.length > 0;
    });
    const send = claimOf(await one.sends.begin(sendNamed('meanwhile')));
    await one.sends.settle(send.claim, { accepted: true });
    sent.resolve();
    await holding;

    const { workspace, sends } = await reading;
    expect([workspace.quota, sends]).toEqual([5, []]);
    expect((await two.readState()).workspace.quota).toBe(4);
  });

  test('lock the workspace before a subscription whose delivery they repeat', async () => {
    const { both, add, database } = await open();
    const [[one, two], [other]] = [both, await add()];
    for (const workspace of [one, other]) {
      await workspace.subscriptions.create(subscription);
      await receive(workspace, outboxEvent());
    }
    const again = async (workspace: typeof one) =>
      workspace.outbox.redeliver(claimOf((await listed(workspace.outbox))[0]).id, 'again', 1);
    // As a replacement of the content does: first the workspace, then its subscriptions.
    const repeating = await database.transaction(async (transaction) => {
      await transaction.query('select from :schema.workspaces where id = $1 for update', [one.id]);
      const coming = again(two);
      await untilItHolds('the repetition waits', async () => {
        const waiting = await database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      await transaction.query(
        `select from :schema.subscriptions join :schema.workspaces w on w.number = workspace and w.id = $1
         for update nowait`,
        [one.id],
      );
      expect(await again(other)).toMatchObject({ id: 'again' });
      return { coming };
    });
    expect(await repeating.coming).toMatchObject({ id: 'again', status: 'pending' });
  });

  test('redeliver once what failed, though both look before either has redelivered', async () => {
    const { both, database } = await open();
    await both[0].subscriptions.create(subscription);
    await receive(both[0], outboxEvent());
    const [{ claim, delivery }] = [claimOf((await both[0].outbox.claimDue(subscription.id, 0, 1))[0])];
    await both[0].outbox.recordAttempt(claim, failed, { status: 'failed' });
    const coming = await database.transaction(async (transaction) => {
      await transaction.query('select from :schema.deliveries where id = $1 for update', [delivery.id]);
      const asked = both.map(({ outbox }, index) =>
        outbox.redeliver(delivery.id, `again_${index}`, 1, 'if_failed'),
      );
      await untilItHolds('both wait for the delivery', async () => {
        const waiting = await database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length === 2;
      });
      return { asked };
    });
    const outcomes = await Promise.all(coming.asked);
    expect(outcomes.filter((outcome) => outcome === 'redelivered')).toHaveLength(1);
    expect(await statusesOf(both[0])).toEqual(['failed', 'pending']);
  });

  test('restore more records than one statement adds, with redeliveries and the times of retries', async () => {
    const [one, two] = (await open()).both;
    await one.subscriptions.create(subscription);
    await receive(one, outboxEvent(), outboxEvent());
    const [first, second] = await one.outbox.claimDue(subscription.id, 0, 2);
    await one.outbox.recordAttempt(claimOf(first).claim, failed, { status: 'pending', dueAt: 77 });
    await one.outbox.recordAttempt(claimOf(second).claim, succeeded, { status: 'delivered' });
    const redelivered = await one.outbox.redeliver(claimOf(second).delivery.id, 'again', 5);
    expect(redelivered).toMatchObject({ redeliveryOf: claimOf(second).delivery.id, dueAt: 5 });
    const state = await one.readState();
    const contacts = Array.from({ length: 5_001 }, (_, index) => ({
      id: `contact_${index}`,
      phone: `+1202555${10_000 + index}`,
      properties: {},
      consent: 'unknown' as const,
    }));
    await one.replaceState({ ...state, contacts });

    expect(await two.readState()).toEqual({ ...state, contacts });
    expect(state.deliveries[0]).toMatchObject({ dueAt: 77, attempts: [failed] });
  });
});
