import { describe, expect, test } from 'vitest';
import { control, dataOf } from '../../server/control-routes/support.js';
import { askWith } from '../../server/support/reference.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { failing, firstKey, startService, statusFor } from '../support/replicas-of-a-service.js';

const earlier = {
  workspaceId: 'shop',
  apiKey: 'earlier',
  clock: 'frozen',
  now: '2026-01-01T09:00:00.000Z',
} as const;
const later = {
  ...earlier,
  apiKey: 'later',
  now: '2027-01-01T09:00:00.000Z',
  specGaps: { unauthorizedStatus: 403 },
} as const;
const ofLater = { apiKey: 'later' };
const isClosed = 'This workspace is closed, or its server is.';

describe.skipIf(missingPostgres)('a workspace that another replica has deleted', () => {
  const postgres = usePostgres();

  test('shows nothing of the earlier one with its id, although the notice is lost', async () => {
    const { one, two, loseNotices } = await startService(postgres());
    const shop = one.workspace(earlier);
    await shop.client.contacts.upsert({ phone: '+15550000001' });
    for (let i = 0; i < 5; i += 1) expect(await statusFor(two, 'earlier')).toBe(200);
    await loseNotices();
    await shop.close();
    await one.workspace(later).settled();
    await one.workspace({ workspaceId: 'other', apiKey: 'other' }).settled();
    expect(await statusFor(one, 'later')).toBe(200);

    const ask = control(two, ofLater);
    const { body: time } = await ask('GET', '/clock');
    expect(time).toMatchObject({ time: later.now });
    const { body: gaps } = await ask('GET', '/spec-gaps');
    expect(gaps).toMatchObject({ unauthorizedStatus: 403 });
    const { body: journal } = await ask('GET', '/journal');
    expect(dataOf(journal)).toMatchObject([{ number: 1, type: 'request', operation: 'templates.list' }]);
    expect(await statusFor(two, 'earlier')).toBe(401);
  });

  test('is not touched by the handle of the earlier one, although the notice is lost', async () => {
    const { one, two, loseNotices } = await startService(postgres());
    const shop = two.workspace(earlier);
    await shop.settled();
    await shop.client.contacts.upsert({ phone: '+15550000001' });
    await loseNotices();
    const closed = await control(one)('DELETE', '/workspaces/shop');
    expect(closed.status).toBe(204);
    const successor = one.workspace(later);
    await successor.settled();

    await shop.close();
    await expect(shop.contacts.list()).rejects.toThrow(isClosed);
    await expect(shop.clock.advance('1h')).rejects.toThrow(isClosed);
    await expect(shop.reset()).rejects.toThrow(isClosed);
    await expect(shop.keys.issue()).rejects.toThrow(isClosed);
    expect(await statusFor(one, 'later')).toBe(200);
    expect(await shop.journal.entries()).toEqual([]);
    expect(new Date(successor.clock.now()).toISOString()).toBe(later.now);
  });

  test('lets a handle know that does not know yet', async () => {
    const { one, two, loseNotices } = await startService(postgres());
    const shop = two.workspace(earlier);
    await shop.settled();
    await loseNotices();
    await control(one)('DELETE', '/workspaces/shop');
    await one.workspace(later).settled();

    await expect(shop.contacts.list()).rejects.toThrow(isClosed);
  });

  test('ends the streams of a replica whose connection for notices was cut', async () => {
    const { one, two, loseNotices, cutListeners } = await startService(postgres());
    const shop = one.workspace(earlier);
    await shop.settled();
    const headers = { Authorization: 'Bearer earlier' };
    const stream = await two.fetch(new Request('http://localhost/control/stream', { headers }));
    const ended = stream.text();
    await loseNotices();
    await shop.close();
    await cutListeners();

    expect(await ended).toContain('event: start');
  });

  test('ends its moves of the clock that wait for another replica, and so does the end of their server', async () => {
    const { one, two, run } = await startService(postgres());
    const shop = two.workspace(earlier);
    const other = two.workspace({ ...later, workspaceId: 'other' });
    await Promise.all([shop.settled(), other.settled()]);
    await run("update :schema.workspaces set mover = 'dead', mover_until = now() + interval '1 day'");
    const ended = expect(shop.clock.advance('1h')).rejects.toThrow(isClosed);
    const stopped = expect(other.clock.advance('1h')).rejects.toThrow(isClosed);
    await control(one)('DELETE', '/workspaces/shop');
    await ended;
    await two.close();
    await stopped;
  });

  test('can be created again at once by a replica that still gets the notice', async () => {
    const { one, two } = await startService(postgres());
    for (let round = 1; round <= 10; round += 1) {
      const shop = one.workspace({ workspaceId: 'shop', apiKey: `at_one_${round}` });
      await shop.settled();
      expect(await statusFor(two, `at_one_${round}`)).toBe(200);
      await shop.close();
      const successor = two.workspace({ workspaceId: 'shop', apiKey: `at_two_${round}` });
      await successor.client.contacts.upsert({ phone: '+15550000001' });
      expect(await statusFor(one, `at_two_${round}`)).toBe(200);
      expect((await successor.contacts.list()).data).toHaveLength(1);
      await successor.close();
    }
  });

  test('is deleted by two replicas at once', async () => {
    const { one, two } = await startService(postgres());
    for (let round = 1; round <= 10; round += 1) {
      await one.workspace({ workspaceId: `w_${round}`, apiKey: `key_${round}` }).settled();
      const asked = [one, two].map((server) => control(server)('DELETE', `/workspaces/w_${round}`));
      const using = [one, two].map((server) => statusFor(server, `key_${round}`));
      for (const { status } of await Promise.all(asked)) expect([204, 404]).toContain(status);
      for (const status of await Promise.all(using)) expect([200, 401]).toContain(status);
      expect(await statusFor(two, `key_${round}`)).toBe(401);
    }
    expect(await two.workspaces.list()).toHaveLength(1);
  });

  test('is closed by a second try, if the database failed at the first', async () => {
    const { one, two, run } = await startService(postgres());
    const shop = one.workspace(earlier);
    await shop.settled();
    await run(failing('workspaces', 'update', '57014', 'new.deleted_at is not null'));
    await expect(shop.close()).rejects.toMatchObject({ name: 'StoreBusyError' });
    expect((await askWith(two)('DELETE', '/../control/workspaces/shop')).status).toBe(503);
    expect(await statusFor(one, 'earlier')).toBe(200);
    await run('drop trigger failing on :schema.workspaces');

    await shop.close();
    expect(await statusFor(one, 'earlier')).toBe(401);
    expect(await statusFor(two, 'earlier')).toBe(401);
    expect((await control(one)('POST', '/workspaces', earlier)).status).toBe(201);
    expect(await statusFor(two, firstKey)).toBe(200);
  });
});
