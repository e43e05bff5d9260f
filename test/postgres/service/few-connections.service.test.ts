import { randomUUID } from 'node:crypto';
import { postgresStore } from 'messaging-automation/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../cli/served.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { serveReplica } from '../support/served-replica.js';

describe.skipIf(missingPostgres)('a role with few connections', () => {
  const postgres = usePostgres();

  async function roleWith(connections: number): Promise<{ readonly name: string; readonly url: string }> {
    const { server, connectionString } = postgres();
    const name = `few_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const { pathname } = new URL(connectionString);
    await server.pool.query(`create role ${name} login password 'secret' connection limit ${connections}`);
    await server.pool.query(`grant create on database ${pathname.slice(1)} to ${name}`);
    return {
      name,
      url: Object.assign(new URL(connectionString), { username: name, password: 'secret' }).href,
    };
  }

  test.each([3, 5])(
    'serves all calls with %d: they wait for a connection of their own',
    async (connections) => {
      const { url, name } = await roleWith(connections);
      const { ask } = await serveReplica(['--store', url, '--store-schema', name, '--api-key', 'test_key']);
      const phones = Array.from({ length: 40 }, (_, index) => `+1555123${4_000 + index}`);
      const created = await Promise.all(phones.map((phone) => ask('/api/v1/contacts', { phone })));
      expect(created.map(({ status }) => status)).toEqual(phones.map(() => 201));
      expect((await ask('/health')).status).toBe(200);
    },
  );

  test('takes more connections as soon as there are more', async () => {
    const { url, name } = await roleWith(3);
    const { server } = postgres();
    const { ask } = await serveReplica(['--store', url, '--store-schema', name, '--api-key', 'test_key']);
    const open = async () => {
      await Promise.all(Array.from({ length: 12 }, () => ask('/api/v1/contacts')));
      const { rows } = await server.pool.query<{ count: number }>(
        'select count(*)::int as count from pg_stat_activity where usename = $1',
        [name],
      );
      return rows[0]?.count ?? 0;
    };
    expect(await open()).toBe(3);
    await server.pool.query(`alter role ${name} connection limit 6`);
    await untilItHolds('there are more', async () => (await open()) > 3);
  });

  test('is refused below the least number that works, which the message has', async () => {
    const { url } = await roleWith(2);
    const words = ['--store', url, '--wait-for-store', '0s'];
    const { exitCode, complaints } = await runCommand(['serve', '--port', '0', ...words]);
    expect(exitCode).toBe(2);
    expect(complaints).toMatch(
      /gives this server 2 of the 3 connections that it needs: .*\(53300: too many connections for role "few_\w+"\)/,
    );
  });

  test('gets the cause, and not a timeout, after it waited in vain', async () => {
    const { url, name } = await roleWith(3);
    const store = postgresStore({ connectionString: url, schema: name, poolSize: 1 });
    await store.migrate();
    await store.close();
    const { server } = postgres();
    await server.pool.query(`alter role ${name} connection limit 0`);
    const late = postgresStore({ connectionString: url, schema: name });
    onTestFinished(() => late.close());
    await expect(late.migrate()).rejects.toThrow(/role has all connections that its limit allows \(53300: /);
  });
});
