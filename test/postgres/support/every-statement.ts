import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { Database } from '../../../src/postgres/database/connection.js';
import { type PostgresStore, postgresStore } from '../../../src/postgres/index.js';
import { noCounts } from '../../../src/postgres/replica/replica-parts.js';
import { agesOf, forgetOld } from '../../../src/postgres/replica/retention.js';
import { sweep } from '../../../src/postgres/replica/sweep.js';
import { allOf } from '../../../src/server/model/page.js';
import type { JourneyRunRecord, SubscriptionRecord } from '../../../src/server/model/records.js';
import type { SharedWorkspaceStore } from '../../../src/server/store/shared-store.js';
import { listed } from '../../server/store-conformance/opening.js';
import { growingTables } from './plans.js';
import {
  changed,
  digestOf,
  emptyWorkspace,
  messageEntry,
  Told,
  untilItHolds,
  waitingWorkspace,
} from './replicas.js';

/** A store over a schema with the workspaces `w0` to `w3`, which does everything that a store can do. */
export class BusyStore implements AsyncDisposable {
  readonly #store: PostgresStore;
  readonly #database: Database;
  readonly #pool: Pool;
  readonly #schema: string;

  /** @param pool - For what another program or a lost replica does. */
  constructor(connectionString: string, schema: string, pool: Pool) {
    // One connection, so that each statement is prepared once and its plan becomes a generic one.
    this.#store = postgresStore({ connectionString, schema, poolSize: 1, lease: '2s' });
    this.#database = new Database({ connectionString, schema, poolSize: 1 });
    this.#pool = pool;
    this.#schema = schema;
  }

  async open(): Promise<void> {
    await this.#store.open(new Told());
    if ((await this.#store.records.listWorkspaceIds()).length > 0) return;
    for (const id of ['w0', 'w1', 'w2', 'w3']) {
      const { state, ...rest } = waitingWorkspace({ subscriptions: ['s0', 's1', 's2'] }, id);
      const quota = { ...state.workspace, quota: 1_000_000 };
      await this.#store.records.addWorkspace({
        ...rest,
        state: { ...state, workspace: quota, contacts: [], deliveries: [] },
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close();
    await this.#database.close();
  }

  /** Sends each statement of a request, and those of the background, a few times with few rows, and once with many. */
  async doEverything(): Promise<void> {
    // After five times, PostgreSQL may decide for a generic plan.
    for (let times = 0; times < 7; times += 1) {
      const workspace = this.#store.records.workspace('w1');
      await this.#workOn(workspace, times === 6 ? 300 : 3);
      await this.readPages(1);
      await this.#steer(workspace);
      await this.#maintain();
    }
    await this.#administer();
    await this.#setAside();
  }

  /** Reads a page of each list, by each filter. Some of them match nothing. */
  async readPages(limit: number, id = 'w1'): Promise<void> {
    const { contacts, events, sends, outbox, journeys } = this.#store.records.workspace(id);
    const range = { after: 0, limit };
    const contact = { contactId: 'c1', phone: '+15551' };
    for (const filter of [{}, { phone: contact.phone }, { consent: 'opted_out' }] as const) {
      await contacts.page(filter, range);
    }
    for (const fields of [{}, { contactId: 'c1' }, { event: 'order' }, { event: 'unheard of' }]) {
      await events.page(fields, range);
    }
    for (const [name, value] of Object.entries({
      ...contact,
      templateId: 'unheard of',
      text: 'Hello 1',
      journeyRunId: 'r1',
    })) {
      await sends.page({ status: 'sent', [name]: value }, range);
    }
    await sends.page({ status: 'sent' }, range);
    for (const fields of [
      {},
      { contactId: contact.contactId },
      { phone: contact.phone },
      { status: 'failed' },
      { subscriptionId: 'unheard of' },
      { event: 'message.received', status: 'delivered' },
    ] as const) {
      await outbox.page(fields, range);
    }
    await journeys.pageOfRuns(range);
  }

  /** Reads all rows of a workspace, as lists and snapshots do. */
  async readAll(): Promise<void> {
    const workspace = this.#store.records.workspace('w1');
    const { contacts, events, sends, outbox, journeys } = workspace;
    await contacts.count();
    await listed(contacts);
    await contacts.page({ properties: { name: 'unheard of' } }, { after: 0, limit: 1 });
    await outbox.find('d1');
    await listed(events);
    await listed(sends);
    await sends.findOfStep('run', 0);
    await listed(outbox);
    await allOf((range) => journeys.pageOfRuns(range));
    await workspace.readState();
  }

  /** Claims something of each kind, holds it until the claims are renewed, and stops with it. */
  async stopAtWork(): Promise<void> {
    const { schedule, events, journeys, sends, outbox } = this.#store.records.workspace('w1');
    await schedule.beginMove();
    await events.claimNext();
    await sends.claimAbandoned();
    await outbox.claimDue('s1', 9e15, 1);
    const due = await schedule.due(1e6);
    const run = due.find(({ kind }) => kind === 'journey_run');
    if (run?.kind === 'journey_run') await journeys.claimRun(run.runId, 1e6);
    const until = async () => {
      const { rows } = await this.#pool.query(
        `select mover_until::text from ${this.#schema}.workspaces where id = 'w1'`,
      );
      return JSON.stringify(rows);
    };
    const begun = await until();
    await untilItHolds('the move is renewed', async () => (await until()) !== begun);
    await this[Symbol.asyncDispose]();
  }

  /** What a replica does every few seconds. */
  async sweep(): Promise<void> {
    await this.#run("update :schema.chores set done_at = '-infinity'");
    await sweep(this.#database, 0, noCounts(), async () => true);
  }

  /** Sweeps until the database has looked at the tables that have grown. */
  async notice(rows: number): Promise<void> {
    await untilItHolds('the tables are analyzed', async () => {
      await this.sweep();
      const { rows: known } = await this.#pool.query<{ all: boolean }>(
        'select bool_and(reltuples >= $2) as all from pg_class where relnamespace = $1::text::regnamespace and relname = any($3)',
        [this.#schema, rows, growingTables],
      );
      return known[0]?.all === true;
    });
  }

  async #workOn(workspace: SharedWorkspaceStore, many: number): Promise<void> {
    const { contacts, events, journeys, sends, subscriptions, outbox, templates } = workspace;
    const each = <Result>(step: (name: string, index: number) => Promise<Result>) =>
      Promise.all(Array.from({ length: many }, (_, index) => step(`${randomUUID()} ${index}`, index)));

    const upserted = await each((name) =>
      contacts.upsert({ newId: name, phone: name, properties: { name } }, 'merge'),
    );
    await each((name, index) =>
      contacts.upsert(
        { newId: name, phone: upserted[index]?.contact.phone ?? '', properties: { name } },
        'merge',
      ),
    );
    await each((_, index) => contacts.update(upserted[index]?.contact.id ?? '', { index }));
    await each((_, index) => contacts.findById(upserted[index]?.contact.id ?? ''));
    await each((_, index) => contacts.findByPhone(upserted[index]?.contact.phone ?? ''));

    await each((name, index) =>
      workspace.recordEvent({
        id: name,
        contactId: upserted[index]?.contact.id ?? '',
        event: 'order',
        properties: {},
        acceptedAt: 1,
      }),
    );
    const claimed = await events.claimNext();
    if (claimed === undefined) throw new Error('No event waits.');
    await events.release(claimed.claim);
    const run: JourneyRunRecord = {
      id: randomUUID(),
      journeyId: 'journey',
      contactId: claimed.event.contactId,
      eventId: claimed.event.id,
      eventProperties: {},
      startedAt: 1,
      status: 'waiting',
      position: 0,
      dueAt: 2,
    };
    const again = await events.claimNext();
    if (again !== undefined) await workspace.completeEvent(again.claim, [run]);
    await events.count(claimed.event.contactId, 'order', 0);

    const journey = { id: 'journey', event: 'order', steps: [] };
    await journeys.put(journey);
    await journeys.find('journey');
    await journeys.list();
    await journeys.listStartedBy('order');
    await journeys.delete('journey');
    await templates.list();
    const released = await journeys.claimRun(run.id, 3);
    if (released !== undefined) await journeys.releaseRun(released.claim);
    const step = await journeys.claimRun(run.id, 3);

    const send = { contactId: 'c1', phone: '+1', templateId: 't', variables: {}, text: 'Hello', sentAt: 1 };
    const begun = await each((name, index) =>
      sends.begin({ ...send, id: name, ...(index === 0 && { journeyRunId: run.id }) }, 0),
    );
    await each(async (_, index) => {
      const claim = begun[index]?.claim;
      if (claim !== undefined)
        await sends.settle(claim, index % 2 === 0 ? { accepted: true } : { accepted: false, refund: true });
    });
    if (step !== undefined) await journeys.saveRun(step.claim, { ...run, dueAt: 9e15 });
    const lost = await sends.claimAbandoned();
    if (lost !== undefined) await sends.settle(lost.claim, { accepted: true });
    await sends.setQuota({ quota: 1_000_000 });
    await sends.readQuota();

    const subscription = newSubscription();
    await subscriptions.create(subscription);
    await subscriptions.list();
    const receive = (name: string, phone: string) =>
      workspace.receiveMessage({
        contact: { newId: name, phone, properties: {} },
        consent: 'opted_in',
        compose: () => [
          { type: 'message.received', body: Uint8Array.of(1, 2), createdAt: 1, newDeliveryId: randomUUID },
        ],
      });
    await each((name) => receive(name, name));
    await each((name, index) => receive(name, upserted[index]?.contact.phone ?? ''));
    const deliveries = await outbox.claimDue(subscription.id, 2, 16);
    const [first, second, third, fourth] = deliveries;
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
      throw new Error('Too few deliveries are due.');
    }
    const attempt = { number: 1, startedAt: 2, signature: 's' };
    await outbox.recordAttempt(first.claim, attempt, { status: 'delivered' });
    await Promise.all([
      outbox.recordAttempt(
        second.claim,
        { ...attempt, error: 'refused' },
        { status: 'pending', dueAt: 9e15 },
      ),
      outbox.claimDue(subscription.id, 2, 16),
      outbox.claimDue('s1', 2, 16),
    ]);
    await outbox.release(third.claim);
    await outbox.redeliver(first.delivery.id, randomUUID(), 3);
    await outbox.recordAttempt(fourth.claim, { ...attempt, error: 'refused' }, { status: 'failed' });
    await outbox.redeliver(fourth.delivery.id, randomUUID(), 3, 'if_failed');
    await workspace.deleteSubscription(subscription.id);
    await this.#loseClaims();
    // A claim of what was lost with its subscription.
    await outbox.claimDue(subscription.id, 2, 16);

    for (const { contact } of upserted.slice(0, 10)) await workspace.deleteContact(contact.id);
    await workspace.countForgotten();
  }

  async #steer({ settings, journal, schedule, admissions }: SharedWorkspaceStore): Promise<void> {
    await schedule.beginMove();
    await changed(settings, (now) => ({ ...now, clock: { flow: 'flowing', ahead: Math.random() } }));
    await schedule.endMove();
    await this.#store.records.readMarks(['w1', 'w2']);
    await settings.readInitialState();
    await schedule.next();
    await schedule.due(1_000);
    await schedule.isIdle(1_000);
    await journal.append({ number: Date.now(), entries: Array.from({ length: 300 }, () => messageEntry) });
    await journal.readAfter(10, 100);
    await Promise.all([admissions.count(1, 1), admissions.count(2, 1)]);
    await admissions.clear();
  }

  async #maintain(): Promise<void> {
    await this.sweep();
    const age = '30d';
    const ages = agesOf({ journal: age, deliveries: age, sends: age, events: age, journeyRuns: age });
    await forgetOld(
      this.#database,
      ages,
      async () => true,
      () => {},
    );
  }

  async #administer(): Promise<void> {
    const store = this.#store;
    await store.health();
    await store.records.addWorkspace(emptyWorkspace('added'));
    await store.records.workspace('added').journal.clear();
    await store.records
      .workspace('added')
      .replaceState(waitingWorkspace({ deliveries: 1, run: 1 }, 'added').state);
    await store.records.addWorkspace({ ...emptyWorkspace('other'), apiKeyDigests: [digestOf('added')] });
    await store.records.listWorkspaceIds();
    await store.records.findWorkspace(digestOf('w1'));
    await store.records.addApiKey('w1', 'digest');
    await store.records.hasRevoked('w1', 'digest');
    await store.records.removeApiKey('w1', 'digest');
    await store.records.createWorkspace({ ...emptyWorkspace('created').state.workspace });
    await store.records.deleteWorkspace('created');
    await store.records.workspace('added').delete();
  }

  /** Reads a contact and a subscription that cannot be read. */
  async #setAside(): Promise<void> {
    const { contacts, subscriptions } = this.#store.records.workspace('w2');
    const subscription = newSubscription();
    const { id } = subscription;
    await contacts.upsert({ newId: id, phone: id, properties: {} }, 'merge');
    await subscriptions.create(subscription);
    await this.#run(`update :schema.contacts set properties = 'null' where id = '${id}'`);
    await this.#run(`update :schema.subscriptions set record = 'null' where id = '${id}'`);
    await contacts.findById(id);
    await subscriptions.list();
  }

  /** What is left of a replica that stopped. */
  async #loseClaims(): Promise<void> {
    await this.#run("update :schema.claims set lease_until = '-infinity' where token is not null");
  }

  async #run(sql: string): Promise<void> {
    await this.#pool.query(sql.replaceAll(':schema', this.#schema));
  }
}

function newSubscription(): SubscriptionRecord {
  return {
    id: `s${randomUUID()}`,
    managed: false,
    url: 'http://127.0.0.1:9/',
    events: ['message.received'],
    secret: 'secret',
    enabled: true,
    createdAt: 1,
  };
}
