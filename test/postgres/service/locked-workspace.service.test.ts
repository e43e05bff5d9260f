import type { ReferenceServer, ReferenceWorkspace } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { control, dataOf } from '../../server/control-routes/support.js';
import { field } from '../../server/support/reference.js';
import { settle, within } from '../../waiting.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { startFrozen, statusFor } from '../support/replicas-of-a-service.js';

const phone = '+15551234567';
const receiver = { url: 'https://receiver.example/hook', events: ['message.received' as const] };
const seed = {
  templates: [{ id: 'welcome', body: 'Welcome!' }],
  contacts: [{ phone }],
  managedWebhooks: [receiver],
};
const otherKey = 'key_of_the_other_workspace';

describe.skipIf(missingPostgres)('two workspaces of two replicas', () => {
  const postgres = usePostgres();

  /** The first workspace at both replicas, the other one at the first, and a session that holds locks until it rolls back. */
  async function start() {
    const service = await startFrozen(postgres(), { ...seed, apiKey: 'key_of_the_locked_workspace' });
    const other = service.one.workspace({ ...seed, apiKey: otherKey });
    await other.settled();
    const session = await postgres().server.pool.connect();
    onTestFinished(() => session.release(true));
    const hold = (sql: string) => session.query(sql.replaceAll(':schema', service.schema));
    return { ...service, other, hold };
  }

  test('do not wait for each other while the content of one is replaced', async () => {
    const { one, two, other, hold } = await start();
    await Promise.all([one, other].flatMap(writesTo));
    await hold(`begin; select from :schema.workspaces where id = '${one.id}' for update`);
    const waiting = Promise.all([one, two].flatMap(writesTo)).then(() => 'responded', String);
    await Promise.all(writesTo(other));
    await other.settled();
    await other.deliveries.waitFor({ status: 'delivered' }, { nth: 2 });
    expect(await statusFor(two, otherKey)).toBe(200);

    expect(await Promise.race([waiting, 'waits'])).toBe('waits');
    await hold('rollback');
    expect(await waiting).toBe('responded');
  });

  test('responds to a request when its own entry of the journal is written, before later ones are', async () => {
    const { one, two, run, hold } = await start();
    await run(`
create function :schema.wait() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(case when new.entry::text like '%"webhooks.create"%' then 2 else 1 end);
  return new;
end
$$;
create trigger waiting before insert on :schema.journal for each row
when (new.entry::text similar to '%"(contacts.upsert|webhooks.create)"%') execute function :schema.wait()`);
    await hold('select pg_advisory_lock(1), pg_advisory_lock(2)');
    const first = one.client.contacts.upsert({ phone }).then(() => 'responded', String);
    await untilItHolds('the first entry waits for its lock', async () => {
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";
      return (await hold(waiting)).rowCount === 1;
    });
    const second = one.client.webhooks.create(receiver).then(() => 'responded', String);
    await untilItHolds('the second subscription exists', async () => {
      return (await hold('select from :schema.subscriptions')).rowCount === 3;
    });
    await settle();
    await hold('select pg_advisory_unlock(1)');

    expect(await within('the response to the first request', first)).toBe('responded');
    for (const server of [one, two]) expect(await statusFor(server, otherKey)).toBe(200);
    expect(await Promise.race([second, 'waits'])).toBe('waits');
    await hold('select pg_advisory_unlock(2)');
    expect(await second).toBe('responded');
  });

  test('keep each fault that either replica adds, at once and in the workspace that it is for', async () => {
    const { one, two, other } = await start();
    const add = async (server: ReferenceServer, workspace: Pick<ReferenceWorkspace, 'apiKey' | 'faults'>) => {
      const rule = { operation: 'events.track', fault: { kind: 'status', status: 500 } };
      const { body } = await control(server, workspace)('POST', '/faults', rule);
      const id = String(field(body, 'id'));
      if (server === one) expect((await workspace.faults.list()).map((fault) => fault.id)).toContain(id);
      await statusFor(server, workspace.apiKey);
      return id;
    };
    const addAll = (workspace: ReferenceWorkspace) =>
      Promise.all(Array.from({ length: 4 }, (_, index) => add(index % 2 === 0 ? one : two, workspace)));
    const added = await Promise.all([one, other].map(addAll));

    const shown = await Promise.all(
      [one, other].map(async (workspace) => {
        const { body } = await control(two, workspace)('GET', '/faults');
        return [
          dataOf(body).map((fault) => field(fault, 'id')),
          (await workspace.faults.list()).map(({ id }) => id),
        ];
      }),
    );
    expect(shown.map((lists) => lists.map((ids) => [...ids].sort()))).toEqual(
      added.map((ids) => [[...ids].sort(), [...ids].sort()]),
    );
  });
});

/** Everything that writes to a workspace through the batches of its store. */
function writesTo({ client, simulate }: ReferenceWorkspace): readonly Promise<unknown>[] {
  return [
    client.contacts.upsert({ phone, properties: { city: 'Paris' } }),
    client.contacts.upsert({ phone: '+15557654321' }),
    client.transactional.send({ phone, templateId: 'welcome' }),
    client.events.track({ phone, event: 'order_placed' }),
    simulate.inboundMessage({ phone, body: 'Hello' }),
  ];
}
