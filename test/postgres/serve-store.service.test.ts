import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askAt, runCommand, start, temporaryFile } from '../cli/served.js';
import { folderWith } from '../folder.js';
import { readOpenMetrics } from '../server/support/open-metrics.js';
import { hang, reply, startReceiver } from '../server/support/receiver.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { permissionsInGuide } from './support/guide-permissions.js';
import { serveReplica } from './support/served-replica.js';

const phone = '+15551234567';
const findContact = '/api/v1/contacts/find?phone=%2B15551234567';

describe.skipIf(missingPostgres)('serve --store', () => {
  const postgres = usePostgres();
  let schemas = 0;

  /** The flags of a store that nobody has used yet. */
  function freshStore(): readonly string[] {
    schemas += 1;
    return ['--store', postgres().connectionString, '--store-schema', `serve_${schemas}`];
  }

  test('twice is one service: each knows what the other received, and names itself', async () => {
    const store = freshStore();
    const one = await serveReplica([...store, '--api-key', 'test_key', '--replica', 'one']);
    const two = await serveReplica([...store, '--api-key', 'test_key', '--replica', 'two']);
    expect(one.ready.store).toMatchObject({
      database: databaseIn(store[1]),
      schema: store[3],
      replica: 'one',
    });
    expect([one.ready.replica, two.ready.replica]).toEqual(['one', 'two']);

    expect((await one.ask('/api/v1/contacts', { phone })).status).toBe(201);
    expect(await two.ask(findContact)).toMatchObject({ status: 200, body: { properties: { phone } } });
    await two.ask('/control/clock/advance', { by: '1d' });
    const times = await Promise.all([one, two].map(async ({ ask }) => (await ask('/control/clock')).body));
    expect(Math.abs(timeIn(times[0]) - timeIn(times[1]))).toBeLessThan(60_000);

    expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0]);
    for (const { terminal, ready } of [one, two]) {
      const lines = terminal.printed.map((line) => JSON.parse(line));
      expect(lines.filter(({ replica }) => replica !== ready.replica)).toEqual([]);
      expect(lines.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['ready', 'request', 'stopping', 'stopped']),
      );
    }
  });

  test('tells a person where the store is and how to go on, and nobody the password', async () => {
    const { connectionString } = postgres();
    const { password, port } = new URL(connectionString);
    const words = ['serve', '--port', '0', '--store-schema', 'told', '--replica', 'one', '--quota', '7'];
    const { terminal, stop } = start(words, { env: { MESSAGING_AUTOMATION_STORE: connectionString } });
    const message = await terminal.line(/is ready at/);
    expect(message).toContain(
      `It shares the database ${databaseIn(connectionString)} at 127.0.0.1:${port} as replica one`,
    );
    expect(message).toContain('To start another replica');
    expect(message).toContain('Only a new workspace uses --quota. An existing one keeps its data.');
    expect(message).toContain(
      'The key below is generated, and each start adds another. Choose one with --api-key',
    );
    expect(message).toContain('Template to try: order_update');
    expect(await stop()).toBe(0);
    expect(terminal.output).toContain('Stopping. Current work has 6 s to finish');
    expect(terminal.output + terminal.complaints).not.toContain(password);
  });

  test('goes on with a workspace that is there, whatever the flags say, by all of its keys', async () => {
    const store = freshStore();
    const seed = await temporaryFile('seed.yaml', 'quota: 3\ntemplates:\n  - id: hello\n    body: Hello\n');
    const first = await serveReplica([...store, '--api-key', 'test_key', '--seed', seed]);
    expect(first.ready.templateId).toBe('hello');
    await first.ask('/api/v1/contacts', { phone });
    expect(await first.stop()).toBe(0);

    const again = await serveReplica([...store, '--quota', '8']);
    expect(again.ready.apiKey).not.toBe('test_key');
    expect(again.ready.templateId).toBe('hello');
    expect(again.ready.store).toMatchObject({ flagsForNew: ['--quota'], keyIsMadeUp: true });
    expect((await again.ask(findContact)).status).toBe(200);
    expect((await again.ask('/control/quota')).body).toMatchObject({ quota: 3 });
    const withOldKey = { headers: { Authorization: 'Bearer test_key' } };
    expect((await fetch(again.url + findContact, withOldKey)).status).toBe(200);
  });

  test('says in /health and /metrics how the database is', async () => {
    const replica = 'replica "1"';
    const { ask, url } = await serveReplica([...freshStore(), '--metrics', '--replica', replica]);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' });
    expect((await ask('/health')).body).toEqual({
      status: 'ok',
      replica,
      store: {
        state: 'ok',
        latency: expect.any(Number),
        postgres: expect.stringMatching(/^\d+/),
        schemaVersion: expect.any(Number),
        replicas: 1,
        clockAhead: 0,
        pool: { total: expect.any(Number), idle: expect.any(Number), waiting: 0 },
        lease: 10_000,
      },
    });
    const families = [...readOpenMetrics(String((await ask('/metrics')).body)).values()];
    const samples = Object.fromEntries(families.flatMap((family) => [...family.samples]));
    expect(samples).toMatchObject({
      messaging_automation_store_up: 1,
      messaging_automation_store_latency_seconds: expect.any(Number),
      'messaging_automation_store_connections{state="idle"}': expect.any(Number),
      'messaging_automation_store_connections{state="used"}': expect.any(Number),
      messaging_automation_store_waiting: 0,
      messaging_automation_store_replicas: 1,
      'messaging_automation_store_events_total{event="sweeps"}': expect.any(Number),
    });
    expect(Object.keys(samples).filter((name) => name.includes('replica='))).toEqual([
      expect.stringMatching(/^messaging_automation_server_info\{.*replica="replica \\"1\\""\}$/),
    ]);
  });

  test('hands back what is under way when its grace is over, and another replica goes on with it', async () => {
    const receiver = await startReceiver(hang, reply(204));
    const store = [...freshStore(), '--api-key', 'test_key'];
    const one = await serveReplica([...store, '--shutdown-grace', '100ms']);
    const two = await serveReplica([...store, '--metrics']);
    await one.ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
    await one.ask('/control/inbound-messages', { phone, body: 'Hello' });
    await receiver.arrived(1);
    expect(await one.stop()).toBe(0);
    await receiver.arrived(2);
    const deliveries = async () => (await two.ask('/control/deliveries')).body;
    await expect.poll(deliveries, { interval: 20, timeout: 10_000 }).toMatchObject({
      // The attempt that was broken off counts for none.
      data: [{ status: 'delivered', attempts: [{ number: 1, status: 204 }] }],
    });
    // It did not wait until the lease was over.
    const metrics = String((await two.ask('/metrics')).body);
    expect(metrics).toContain('messaging_automation_store_events_total{event="expiredClaims"} 0');
    expect(receiver.received).toHaveLength(2);
  });

  test('reaches the database by a socket, and says in which folder there is none', async () => {
    const folder = folderWith({});
    const { hostname, port, username, password, pathname } = new URL(postgres().connectionString);
    const socket = createServer((here) => {
      const there = connect(Number(port), hostname);
      here.pipe(there).pipe(here);
      for (const side of [here, there]) side.on('error', () => {});
    }).listen(join(folder, '.s.PGSQL.5432'));
    onTestFinished(() => void socket.close());
    const url = (host: string) => `postgres://${username}:${password}@${pathname}?host=${host}`;
    const { ready, ask } = await serveReplica(['--store', url(folder), '--store-schema', 'by_socket']);
    expect(ready.store).toMatchObject({ host: folder, database: pathname.slice(1) });
    expect((await ask('/health')).status).toBe(200);

    const { complaints } = await runCommand([
      'migrate',
      '--store',
      url('/nowhere'),
      '--wait-for-store',
      '0s',
    ]);
    expect(complaints).toContain(
      `at /nowhere within 0 s. Its folder has no socket with that port (ENOENT). Start it, or correct the host`,
    );
    expect(complaints).not.toContain(password);
  });

  test('refuses a key that belongs to another workspace of the database', async () => {
    const store = freshStore();
    const { ask } = await serveReplica([...store, '--api-key', 'test_key']);
    await ask('/control/workspaces', { apiKey: 'other_key' });
    const refused = await runCommand(['serve', '--port', '0', ...store, '--api-key', 'other_key']);
    expect(refused).toMatchObject({ exitCode: 2, complaints: expect.stringMatching(/^error: .*key/) });
  });

  test('says that a port is taken, and lets go of the database', async () => {
    const store = freshStore();
    const { url } = await serveReplica([...store]);
    const { exitCode, complaints } = await runCommand(['serve', '--port', new URL(url).port, ...store]);
    expect(exitCode).toBe(2);
    expect(complaints).toMatch(/Cannot listen on 127\.0\.0\.1.*EADDRINUSE/);
  });

  test('refuses a name that no schema can have, as migrate does', async () => {
    for (const command of ['serve', 'migrate']) {
      const words = ['--store', postgres().connectionString, '--store-schema', 'x'.repeat(59)];
      const { exitCode, complaints } = await runCommand([command, ...words]);
      expect(exitCode).toBe(2);
      expect(complaints).toMatch(/^error: .*schema must be a name of 1 to 58 bytes/);
    }
  });

  test('refuses the tables of a newer version, as migrate does', async () => {
    const store = freshStore();
    expect((await runCommand(['migrate', ...store])).exitCode).toBe(0);
    await postgres().server.pool.query(
      `insert into ${store[3]}.migrations (number, name, version) values (999, 'later', '99.0.0')`,
    );
    for (const command of ['serve', 'migrate']) {
      const { exitCode, complaints } = await runCommand([command, ...store]);
      expect(exitCode).toBe(2);
      expect(complaints).toContain('99.0.0');
      expect(complaints).not.toContain(new URL(postgres().connectionString).password);
    }
  });
});

describe.skipIf(missingPostgres)('migrate', () => {
  const postgres = usePostgres();

  test('makes the tables, again and again', async () => {
    const env = { MESSAGING_AUTOMATION_STORE: postgres().connectionString };
    const database = databaseIn(postgres().connectionString);
    for (const _ of [1, 2]) {
      const { exitCode, output } = await runCommand(['migrate', '--store-schema', 'made'], { env });
      expect(exitCode).toBe(0);
      const { host } = new URL(postgres().connectionString);
      expect(output).toBe(`The schema made in the database ${database} at ${host} is up to date.`);
    }
    const { output } = await runCommand(['migrate', '--store-schema', 'made', '--json'], { env });
    expect(JSON.parse(output)).toMatchObject({
      database,
      schema: 'made',
      upToDate: true,
    });
  });

  test('creates the tables in schemas that exist, and a role serves that may create nothing, with the permissions that the guide names', async () => {
    const { connectionString, server } = postgres();
    const as = (role: string) =>
      Object.assign(new URL(connectionString), { username: role, password: 'secret' });
    await server.pool.query(`create role server login password 'secret';
      create role migrator login password 'secret';
      alter default privileges for role migrator revoke execute on functions from public;
      create schema messaging_automation authorization migrator;
      create schema messaging_automation_jobs authorization migrator`);
    expect((await runCommand(['migrate', '--store', as('migrator').href])).exitCode).toBe(0);
    for (const statement of permissionsInGuide()) await server.pool.query(statement);
    const start = (role: string) => serveReplica(['--store', as(role).href, '--api-key', 'test_key']);
    const [least, owner] = [await start('server'), await start('migrator')];
    expect((await least.ask('/control/workspaces', { apiKey: 'other_key' })).status).toBe(201);
    for (const [key, here, there] of [
      ['test_key', least, owner],
      ['other_key', owner, least],
    ] as const) {
      const ask = askAt(here.url, key);
      expect((await ask('/api/v1/contacts', { phone })).status).toBe(201);
      expect((await ask('/control/inbound-messages', { phone, body: 'Hello' })).status).toBe(202);
      expect((await ask('/control/clock/advance', { by: '1s' })).status).toBe(200);
      expect((await askAt(there.url, key)(findContact)).status).toBe(200);
    }
  });
});

/** The name of the database in a connection string. */
function databaseIn(connectionString = ''): string {
  return new URL(connectionString).pathname.slice(1);
}

function timeIn(clock: unknown): number {
  return Number(Reflect.get(Object(clock), 'now'));
}
