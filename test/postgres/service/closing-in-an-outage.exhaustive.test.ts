import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { hang, startReceiver } from '../../server/support/receiver.js';
import { withResolvers } from '../../waiting.js';
import { missingPostgres, useOwnPostgres } from '../support/database.js';
import { startFrozen, startService, statusFor } from '../support/replicas-of-a-service.js';

const phone = '+15550000001';

describe.skipIf(missingPostgres)('while the database is gone', () => {
  const postgres = useOwnPostgres();

  test('a workspace cannot be closed, and can be when it is back', async () => {
    const { one, two } = await startService(postgres());
    const shop = one.workspace({ apiKey: 'key_of_shop' });
    await shop.settled();
    const { server } = postgres();
    server.pool.on('error', () => {});
    await server.end('SIGQUIT');
    await expect(shop.close()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await expect(shop.contacts.list()).rejects.toThrow('This workspace is closed, or its server is.');
    await server.start();

    await expect.poll(() => statusFor(two, 'key_of_shop'), { timeout: 20_000 }).toBe(200);
    await shop.close();
    expect(await statusFor(two, 'key_of_shop')).toBe(401);
    expect(await statusFor(one, 'key_of_shop')).toBe(401);
  });

  test('a server closes in the middle of an attempt, and leaves its store', async () => {
    const { connectionString, freshSchema, server: database } = postgres();
    const store = postgresStore({ connectionString, schema: await freshSchema() });
    const receiver = await startReceiver(hang);
    const server = createReferenceServer({ store, shutdownGrace: '10ms' });
    await server.client.webhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    await receiver.arrived(1);
    database.pool.on('error', () => {});
    await database.end('SIGQUIT');
    await server.close();
    await database.start();

    await expect(store.migrate()).rejects.toThrow('The pool was ended (POOL_ENDED)');
  });

  test('a server that starts says so at its first use, and at every other', async () => {
    const { connectionString, server: database } = postgres();
    database.pool.on('error', () => {});
    await database.end('SIGQUIT');
    const server = createReferenceServer({ store: postgresStore({ connectionString, schema: 'late' }) });
    const why = 'Nothing listens at that host and port (ECONNREFUSED)';
    await expect(server.listen()).rejects.toThrow(why);
    await database.start();
    await expect(server.listen()).rejects.toThrow(why);
    await expect(server.contacts.list()).rejects.toThrow(why);
    await server.close();

    const again = createReferenceServer({ store: postgresStore({ connectionString, schema: 'late' }) });
    expect((await again.contacts.list()).data).toEqual([]);
    await again.close();
  });

  test('an attempt that is under way is recorded, and no other is made in its place', async () => {
    let posts = 0;
    const back = withResolvers();
    const { one, two } = await startFrozen(postgres(), {
      fetch: async () => {
        posts += 1;
        // The receiver acknowledges while the database is gone.
        await postgres().server.end('SIGQUIT');
        void postgres().server.start().then(back.resolve);
        return new Response(null, { status: 204 });
      },
    });
    await one.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
    await one.simulate.inboundMessage({ phone, body: 'Hello' });
    await back.promise; // a wait that begins in the outage fails
    const delivery = await two.deliveries.waitFor({ contact: phone }, { timeout: '25s' });

    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ number: 1, status: 204 }] });
    expect(posts).toBe(1);
  });
});
