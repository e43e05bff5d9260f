import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { control } from '../server/control-routes/support.js';
import { expectRecords, propertiesOf } from '../server/state/fixtures/everything-kept.js';
import * as world from '../server/state/fixtures/hostile-world.js';
import { field } from '../server/support/reference.js';
import { within } from '../waiting.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { restoreHostile, restoreOlder } from './support/older-database.js';
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

  test('keeps every name and text of its users, and renames only fields of the service', async () => {
    schema = await restoreHostile(postgres().connectionString);
    const { pool } = postgres().server;
    const entries = hostileEntries.map((entry) => ({
      type: 'request',
      at: 1.5e12,
      requestId: 'r',
      ...entry,
    }));
    for (const [index, entry] of entries.entries()) {
      const row = [`${index + 1}`, JSON.stringify(entry)];
      await pool.query(
        `insert into ${schema}.journal (workspace, number, entry) select 1, latest + $1, $2 from ${schema}.journals`,
        row,
      );
    }
    await pool.query(`update ${schema}.journals set latest = latest + ${entries.length}`);
    const { connectionString } = postgres();
    // A setting of a role that changes what a backslash in a text of SQL means.
    const odd = `${connectionString}?options=${encodeURIComponent('-c standard_conforming_strings=off')}`;
    const migrating = postgresStore({ connectionString: odd, schema });
    await migrating.migrate();
    await migrating.close();
    const server = createReferenceServer({
      store: postgresStore({ connectionString, schema }),
      apiKey: world.apiKey,
    });
    onTestFinished(() => server.close());

    await server.settled();
    expect((await server.journal.find('event')).map(({ event }) => event.properties)).toEqual([
      world.eventProperties,
    ]);
    const requests = await server.journal.find('request');
    const [first] = requests;
    expect(first).toMatchObject({ status: 418, faults: [world.faults[0]?.fault] });
    expect(JSON.parse(first?.responseBody ?? '')).toEqual(world.faultBody);
    expect(requests.filter(({ requestId }) => requestId === 'r')).toEqual(
      entries.map(({ answer, ...entry }) => ({
        ...entry,
        ...(answer !== undefined && { responseBody: answer.replace(`whsec_${'a'.repeat(64)}`, 'whsec_***') }),
      })),
    );
    expect((await server.faults.list()).map(({ rule }) => rule)).toEqual(world.faults);
    expect(server.specGaps.read()).toMatchObject({ updateResponse: 'empty', nestedProperty: 'accept' });
    await expectRecords(server);

    await server.reset();
    expect(server.specGaps.read()).toMatchObject({ updateResponse: 'empty' });
    expect((await server.faults.list()).map(({ rule }) => rule)).toEqual(world.faults);
    await server.faults.clear();
    expect(await propertiesOf(server, world.otherPhone)).toEqual({
      ...world.otherProperties,
      phone: world.otherPhone,
    });
  });
});

/** Journaled requests of version 0.1.0 in which users have the words of the service. */
const hostileEntries: readonly { readonly answer?: string; readonly [name: string]: unknown }[] = [
  { operation: 'events.track', path: '/x', faults: [{ kind: 'status', status: 500, body: { answer: 1 } }] },
  {
    operation: 'events.track',
    path: '/x?"answer":',
    status: 204,
    faults: [{ body: { answer: { answer: 2 } } }],
  },
  {
    operation: 'contacts.get',
    path: '/whsec_mine',
    status: 200,
    answer: '{"note":"whsec_mine","answer":1}',
  },
  {
    operation: 'webhooks.list',
    path: '/x',
    status: 200,
    answer: `{"data":[{"secret":"whsec_${'a'.repeat(64)}"}],"answer":2}`,
    faults: [{ kind: 'status', status: 500, body: { answer: 'whsec_mine', answers: ['whsec_mine'] } }],
  },
];
