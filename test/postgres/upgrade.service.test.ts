import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { control } from '../server/control-routes/support.js';
import { field } from '../server/support/reference.js';
import { within } from '../waiting.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { restoreOlder } from './support/older-database.js';
import { untilItHolds } from './support/replicas.js';
import { statusFor } from './support/replicas-of-a-service.js';

const phone = '+15551230001';

describe.skipIf(missingPostgres)('the database of version 0.1.0', () => {
  const postgres = usePostgres();
  let schema = '';

  function start(delivered: string[] = []): ReferenceServer {
    const { connectionString } = postgres();
    const server = createReferenceServer({
      store: postgresStore({ connectionString, schema }),
      apiKey: 'key_of_0_1_0',
      async fetch(url) {
        delivered.push(new URL(String(url)).pathname);
        return new Response(null, { status: 204 });
      },
    });
    onTestFinished(() => server.close());
    return server;
  }

  test('is continued: its records, its keys, its clocks, its faults, its journal, and the work that waits', async () => {
    schema = await restoreOlder(postgres().connectionString);
    const delivered: string[] = [];
    const [server, beside] = [start(delivered), start(delivered)];
    expect(await statusFor(beside, 'other_key_of_0_1_0')).toBe(200); // which has no fault
    expect(await statusFor(server, 'key_of_0_1_0')).toBe(500); // the fault that waits
    expect(await server.client.contacts.find(phone)).toMatchObject({ properties: { city: 'Ulm 🚀' } });
    expect(await server.client.webhooks.list()).toMatchObject([
      { id: 'webhook_3', secret: `whsec_${'03'.repeat(32)}` },
      { id: 'webhook_5', secret: `whsec_${'05'.repeat(32)}` },
    ]);
    expect(await server.quota.read()).toMatchObject({ quota: 2 });
    expect(server.specGaps.read()).toMatchObject({ unauthorizedStatus: 403 });
    expect(new Date(server.clock.now()).toISOString()).toBe('2026-01-01T09:00:00.000Z');
    expect(
      (await server.journal.deliveries()).map(({ status, attempts }) => [status, attempts.length]),
    ).toEqual([
      ['delivered', 1],
      ['pending', 1],
      ['delivered', 1],
      ['pending', 1],
    ]);

    await within('the work of an hour', server.clock.advance('1h'));
    expect(await server.journal.sends()).toMatchObject([{ text: 'Hello Ada' }, { text: 'Still there?' }]);
    const [, first, , second] = await server.journal.deliveries();
    expect([first, second]).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    await untilItHolds('the claim of the replica that was killed is taken over', async () => {
      return delivered.includes('/hanging');
    });
    const other = control(beside, { apiKey: 'other_key_of_0_1_0' });
    const { body } = await other('GET', '/clock');
    expect(Math.abs(Number(field(body, 'now')) - Date.now())).toBeLessThan(60_000);
    expect((await other('GET', '/sends')).body).toMatchObject({ data: [] });
    for (const replica of [server, beside]) expect(await statusFor(replica, 'other_key_of_0_1_0')).toBe(200);
    expect(await statusFor(server, 'key_28')).toBe(403);
    const journal = await control(server)('GET', '/journal?type=request');
    expect(JSON.stringify(journal.body)).toContain('webhooks.create');
    expect(JSON.stringify(journal.body)).toContain('"responseBody":"{\\"data\\":');
    expect(JSON.stringify(journal.body)).not.toContain('"answer":');
  });

  test('no longer has the secrets of deleted subscriptions', async () => {
    const { rows } = await postgres().server.pool.query<{ entry: string }>(
      `select entry::text from ${schema}.journal where entry::text like '%whsec%'`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { entry } of rows) expect(entry).not.toMatch(/whsec_(?!\*\*\*)/);
  });
});
