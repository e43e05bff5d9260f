import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { control } from '../../server/control-routes/support.js';
import { missingPostgres, useOwnPostgres } from '../support/database.js';
import { firstKey, startService, statusFor } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('a workspace that cannot be created in a shared store', () => {
  const postgres = useOwnPostgres();
  test.each([
    ['id', { workspaceId: 'shop', apiKey: 'another' }],
    ['API key', { workspaceId: 'another', apiKey: 'key_of_shop' }],
  ])('is refused because of its %s, and every other workspace goes on', async (name, seed) => {
    const { one, two } = await startService(postgres());
    const made = await control(one)('POST', '/workspaces', { workspaceId: 'shop', apiKey: 'key_of_shop' });
    expect(made.status).toBe(201);

    const refused = await control(two)('POST', '/workspaces', seed);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: { message: expect.stringContaining(`Another workspace of this service has this ${name}.`) },
      },
    });
    expect(await statusFor(two, firstKey)).toBe(200);
    expect(await statusFor(two, 'key_of_shop')).toBe(200);
    expect(await statusFor(two, 'another')).toBe(401);
    // Nothing of the refused one is left that would take its names.
    const free = await control(two)('POST', '/workspaces', { workspaceId: 'another', apiKey: 'another' });
    expect(free.status).toBe(201);
    expect(await statusFor(two, 'another')).toBe(200);
  });

  test('tells its own user why, and does not delete the workspace whose id it has when it is closed', async () => {
    const { one, two } = await startService(postgres());
    const shop = one.workspace({ workspaceId: 'shop', apiKey: 'key_of_shop' });
    await shop.client.contacts.upsert({ phone: '+15551234567' });

    const refused = two.workspace({ workspaceId: 'shop' });
    const why = 'Another workspace of this service has this id.';
    await expect(refused.contacts.list()).rejects.toThrow(why);
    await expect(refused.clock.advance('1s')).rejects.toThrow(why);
    await expect(refused.client.templates.list()).rejects.toMatchObject({
      cause: { message: expect.stringContaining(why) },
    });
    await refused.close();

    expect(await statusFor(two, 'key_of_shop')).toBe(200);
    expect((await shop.contacts.list()).data).toHaveLength(1);
    await two.settled();
    expect(await two.workspaces.list()).toHaveLength(2);
  });

  test('because the database is gone is created when it is back', async () => {
    const { one, two } = await startService(postgres());
    const seed = { workspaceId: 'late', apiKey: 'key_of_late' };
    await postgres().server.end('SIGQUIT');
    const late = one.workspace(seed);
    await expect(late.contacts.list()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await postgres().server.start();

    await expect.poll(() => statusFor(one, firstKey)).toBe(200);
    expect((await control(one)('POST', '/workspaces', seed)).status).toBe(201);
    expect(await statusFor(two, 'key_of_late')).toBe(200);
  });

  test('fails the server whose own workspace it is', async () => {
    const { schema } = await startService(postgres(), { workspaceId: 'one' });
    const { connectionString } = postgres();
    const store = postgresStore({ connectionString, schema });
    const another = createReferenceServer({ apiKey: firstKey, workspaceId: 'another', store });
    onTestFinished(() => another.close());

    await expect(another.listen()).rejects.toThrow('Another workspace of this service has this API key.');
  });
});
