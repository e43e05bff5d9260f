import type { ReferenceWorkspace, WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { readStream, requestStream } from '../../server/control-routes/event-stream.js';
import { control } from '../../server/control-routes/support.js';
import { reply, startReceiver } from '../../server/support/receiver.js';
import { field } from '../../server/support/reference.js';
import { within } from '../../waiting.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { firstKey, startFrozen, startService, statusFor } from '../support/replicas-of-a-service.js';

const phone = '+15551234567';

describe.skipIf(missingPostgres)('two servers over one database', () => {
  const postgres = usePostgres();

  test('begin with the seed once', async () => {
    const { one, two } = await startFrozen(postgres(), {
      contacts: [{ phone }],
      quota: 3,
    });

    expect(await one.quota.read()).toEqual(await two.quota.read());
    expect((await two.contacts.list()).data.map((contact) => contact.phone)).toEqual([phone]);
  });

  test('move it by the sum of all moves, also if they have the same odd name, and another workspace by its own', async () => {
    const { one, two, schema } = await startFrozen(postgres(), { replica: 'same\0' });
    const other = two.workspace({ apiKey: 'other', now: '2026-01-01T09:00:00Z' });
    const moves = [one, two].flatMap((server) =>
      Array.from({ length: 20 }, () => server.clock.advance('1s')),
    );
    const otherMoves = Array.from({ length: 5 }, () => other.clock.advance('1m'));
    await within('all moves', Promise.all([...moves, ...otherMoves]));
    await one.client.templates.list();

    expect(new Date(one.clock.now()).toISOString()).toBe('2026-01-01T09:00:40.000Z');
    const { body } = await control(one, other)('GET', '/clock');
    expect(body).toMatchObject({ time: '2026-01-01T09:05:00.000Z' });
    const names = async () =>
      (await postgres().server.pool.query<{ name: string }>(`select name from ${schema}.replicas`)).rows;
    expect((await names()).map(({ name }) => name.replace(/ .*/, ''))).toEqual(['same\\0000', 'same\\0000']);
    await one.close();
    expect(await names()).toHaveLength(1);
  });

  test('have the changes that each of them made in one journal, and write the same recording', async () => {
    const templates = [{ id: 'hi', body: 'Hi' }];
    const { one, two } = await startFrozen(postgres(), { contacts: [{ phone }], templates, quota: 0 });
    const send = { phone, templateId: 'hi' };
    await one.client.transactional.send(send).catch(() => {});
    await two.quota.set({ quota: 5 });
    await one.client.transactional.send(send);

    for (const server of [one, two]) {
      const [change] = await server.journal.find('change');
      const before = { quota: 0, addOnCredits: 0 };
      expect(change).toMatchObject({ operation: 'quota.set', arguments: [{ quota: 5 }], before });
      expect(await server.journal.testSince()).toContain('await server.quota.set({ quota: 5 });');
    }
    expect(await one.journal.testSince()).toBe(await two.journal.testSince());
  });

  test('make the changes of a workspace that the store does not have yet', async () => {
    const { one, two } = await startFrozen(postgres());
    const workspaces = [one, two].map((server, index) => {
      const workspace = server.workspace({ apiKey: `key_${index}`, now: '2026-01-01T09:00:00Z' });
      const changed = index === 0 && workspace.specGaps.set({ unauthorizedStatus: 403 });
      return { server, workspace, changed, advanced: workspace.clock.advance('1h') };
    });
    for (const { server, workspace, changed, advanced } of workspaces) {
      await Promise.all([changed, advanced]);
      const there = control(server === one ? two : one, workspace);
      expect((await there('GET', '/clock')).body).toMatchObject({ time: '2026-01-01T10:00:00.000Z' });
      const { body } = await there('GET', '/spec-gaps');
      expect(body).toMatchObject({ unauthorizedStatus: server === one ? 403 : 401 });
    }
  });

  test('inject a fault once, whichever of them is asked', async () => {
    const { one, two } = await startFrozen(postgres());
    const rule = { operation: 'templates.list', fault: { kind: 'status', status: 500 }, times: 1 };
    await control(one)('POST', '/faults', rule);
    const statuses = await Promise.all([two, one, two].map((server) => statusFor(server, firstKey)));

    expect(statuses.sort()).toEqual([200, 200, 500]);
  });

  test('end a latency at one of them when the other one moves the clock', async () => {
    const latency = { operation: 'templates.list', fault: { kind: 'latency', duration: '1h' } } as const;
    const { one, two } = await startFrozen(postgres(), { faults: [latency] });
    const late = one.client.templates.list();
    await two.journal.waitFor('fault');
    await two.clock.advance('1h');

    expect(await within('the response to the delayed request', late)).toEqual([]);
  });

  test('have the newer settings and time at their next request, although the notice is lost', async () => {
    const { one, two, loseNotices } = await startFrozen(postgres());
    await two.client.templates.list();
    await loseNotices();
    await one.specGaps.set({ unauthorizedStatus: 403 });
    await one.receiver.set({ mode: 'late' });
    await one.clock.advance('1h');
    await one.settled();
    await two.client.templates.list();

    expect(two.specGaps.read().unauthorizedStatus).toBe(403);
    expect(two.receiver.read().mode).toBe('late');
    expect(new Date(two.clock.now()).toISOString()).toBe('2026-01-01T10:00:00.000Z');
  });

  test('keep the secret of a subscription nowhere else, and nowhere once it is deleted', async () => {
    const { one, two, schema } = await startFrozen(postgres(), { specGaps: { secretInList: 'shown' } });
    const other = two.workspace();
    const subscribe = ({ client }: ReferenceWorkspace, name: string) =>
      client.webhooks.create({ url: `https://example.com/${name}`, events: ['message.received'] });
    const [kept, deleted] = [await subscribe(one, 'kept'), await subscribe(one, 'deleted')];
    const ofOther = await subscribe(other, 'deleted');
    expect(await two.client.webhooks.list()).toHaveLength(2);
    for (const { simulate } of [one, other]) await simulate.inboundMessage({ phone, body: 'Hello' });
    await one.settled();
    await two.client.webhooks.delete(deleted.id);
    expect(await other.client.webhooks.list()).toMatchObject([ofOther]);

    const holders = async ({ secret }: { readonly secret: string }) => {
      const { rows } = await postgres().server.pool.query<{ name: string }>(
        `select relname as name from pg_class where relkind = 'r' and relnamespace = any (array['${schema}', '${schema}_jobs']::regnamespace[])
         and query_to_xml(format('select t::text from %s t', oid::regclass), true, false, '')::text like '%${secret}%'`,
      );
      return rows.map(({ name }) => name);
    };
    const held = [await holders(kept), await holders(deleted), await holders(ofOther)];
    expect(held).toEqual([['subscriptions'], [], ['subscriptions']]);
  });

  test('begin a rate limit again after a reset of either', async () => {
    const { one, two } = await startFrozen(postgres(), {
      specGaps: { rateLimit: { requests: 2, per: '1m' } },
    });
    for (const server of [one, two]) await server.client.templates.list();
    await expect(two.client.templates.list()).rejects.toMatchObject({ status: 429 });
    await one.reset();

    for (const server of [one, two]) expect(await server.client.templates.list()).toEqual([]);
    await expect(one.client.templates.list()).rejects.toMatchObject({ status: 429 });
  });

  test('carry out a journey whose event has a NUL and half a surrogate pair, and one of another workspace', async () => {
    const seed: WorkspaceSeed = {
      now: '2026-01-01T09:00:00Z',
      contacts: [{ phone }],
      templates: [{ id: 'reminder', body: 'Still there?' }],
      journeys: [{ id: 'remind', event: 'cart_left', steps: [{ wait: '1h' }, { send: 'reminder' }] }],
    };
    const { one, two } = await startFrozen(postgres(), seed);
    const other = two.workspace(seed);
    await Promise.all([
      one.client.events.track({ phone, event: 'cart_left', properties: { 'a\0': '\0', b: '\ud800' } }),
      other.client.events.track({ phone, event: 'cart_left', properties: { a: 'b' } }),
    ]);
    const moves = [two, other].map(({ clock }) => clock.advance('1h'));
    await within('both journeys', Promise.all(moves));

    for (const server of [one, two]) {
      for (const workspace of [one, other]) {
        const { body } = await control(server, workspace)('GET', '/sends');
        expect(body).toMatchObject({ data: [{ text: 'Still there?' }] });
      }
    }
  });

  test('restore and reset for both', async () => {
    const { one, two } = await startFrozen(postgres(), { contacts: [{ phone }] });
    await one.client.contacts.upsert({ phone: '+15557654321' });
    const snapshot = await one.snapshot();
    await two.reset();
    expect((await one.contacts.list()).data).toHaveLength(1);
    expect(await one.journal.entries()).toEqual([]);
    await one.restore(snapshot);

    expect((await two.contacts.list()).data).toHaveLength(2);
  });

  test('do not accept a revoked key again because one of them starts with it', async () => {
    const { one, schema } = await startFrozen(postgres());
    await one.keys.revoke(firstKey);
    const again = await startFrozen({ ...postgres(), freshSchema: async () => schema });

    expect(await statusFor(again.one, firstKey)).toBe(401);
  });

  test('end the streams of a key that the other one revoked', async () => {
    const { one, two } = await startFrozen(postgres());
    const workspace = two.workspace({ apiKey: 'kept' });
    const apiKey = await workspace.keys.issue();
    const stream = readStream(await requestStream(one, '/stream', { workspace: { apiKey } }));
    const other = readStream(await requestStream(one, '/stream', { workspace }));
    await Promise.all([stream.take(1), other.take(1)]);
    await workspace.keys.revoke(apiKey);
    await workspace.simulate.inboundMessage({ phone, body: 'not for this key' });

    const [revoked, message] = await other.entries(2);
    expect(field(revoked?.data, 'operation')).toBe('keys.revoke');
    expect(field(message?.data, 'body')).toBe('not for this key');
    expect(await stream.next()).toBeUndefined();
    await other.leave();
  });

  test('stream and wait for what happens at the other one, and go on after the last event', async () => {
    const { one, two } = await startFrozen(postgres(), { templates: [{ id: 'welcome', body: 'Hi' }] });
    await two.settled();
    const workspace = { apiKey: firstKey };
    const first = readStream(await requestStream(two, '/stream', { workspace }));
    await one.client.contacts.upsert({ phone });
    await one.client.contacts.upsert({ phone: '+15551230002' });
    const told = await first.entries(2);
    await first.leave();
    const sent = control(two)('GET', '/sends?templateId=welcome&wait=20s');
    await one.client.transactional.send({ phone, templateId: 'welcome' });
    expect((await sent).body).toMatchObject({ data: [{ templateId: 'welcome', text: 'Hi' }] });
    const lastEventId = told.at(-1)?.id;
    const second = readStream(await requestStream(one, '/stream', { workspace, lastEventId }));
    const rest = await second.entries(2);
    await second.leave();

    expect([...told, ...rest].map(({ data }) => field(data, 'number'))).toEqual([1, 2, 3, 4]);
  });

  test('deliver 120 messages to each of three subscriptions once', async () => {
    const receiver = await startReceiver(reply(204));
    const { one, two } = await startService(postgres());
    for (const path of ['a', 'b', 'c']) {
      const url = `${receiver.url}/${path}`;
      await one.client.webhooks.create({ url, events: ['message.received'] });
    }
    await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        (index % 2 === 0 ? one : two).simulate.inboundMessage({
          phone: `+1555${1_000_000 + index}`,
          body: `message ${index}`,
        }),
      ),
    );
    await Promise.all([one.settled(), two.settled()]);
    const arrivals = receiver.received.map(({ path, body }) => `${path} ${body.toString()}`);
    expect(arrivals).toHaveLength(360);
    expect(new Set(arrivals).size).toBe(360);
  });
});
