import { postgresStore } from 'messaging-automation/postgres';
import {
  createReferenceServer,
  type ReferenceWorkspace,
  type WorkspaceSeed,
} from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';

describe.skipIf(missingPostgres)('a workspace whose content is being replaced', () => {
  const postgres = usePostgres();

  test('makes its own requests wait, and those of no other workspace', async () => {
    const { connectionString, freshSchema, server: database } = postgres();
    const schema = await freshSchema();
    const server = createReferenceServer({
      store: postgresStore({ connectionString, schema }),
      fetch: async () => new Response(null, { status: 204 }),
    });
    onTestFinished(() => server.close());
    const seed: WorkspaceSeed = {
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      contacts: [{ phone: '+15551234567' }],
      managedWebhooks: [{ url: 'https://receiver.example/hook', events: ['message.received'] }],
    };
    const [locked, free] = [server.workspace(seed), server.workspace(seed)];
    await Promise.all([writesTo(locked), writesTo(free)].map((calls) => Promise.all(calls)));
    const other = await database.pool.connect();
    try {
      await other.query('begin');
      await other.query(`select from ${schema}.workspaces where id = $1 for update`, [locked.id]);
      const waiting = Promise.all(writesTo(locked)).then(() => 'answered', String);
      await Promise.all(writesTo(free));
      await free.settled();
      await free.deliveries.waitFor({ status: 'delivered' }, { nth: 2 });

      expect(await Promise.race([waiting, 'waits'])).toBe('waits');
      await other.query('rollback');
      expect(await waiting).toBe('answered');
    } finally {
      other.release(true);
    }
  });
});

/** Everything that writes to a workspace through the batches of its store. */
function writesTo({ client, simulate }: ReferenceWorkspace): readonly Promise<unknown>[] {
  const phone = '+15551234567';
  return [
    client.contacts.upsert({ phone, properties: { city: 'Paris' } }),
    client.contacts.upsert({ phone: '+15557654321' }),
    client.transactional.send({ phone, templateId: 'welcome' }),
    client.events.track({ phone, event: 'order_placed' }),
    simulate.inboundMessage({ phone, body: 'Hello' }),
  ];
}
