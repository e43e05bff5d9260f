import { MessagingAutomation } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startReplicas } from './replicas.js';

const phone = '+15551234567';

describe.skipIf(missingPostgres)('two servers over one database', () => {
  const postgres = usePostgres();

  test('answer for one another', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      templates: [{ id: 'welcome', body: 'Hi' }],
    });
    const [one, two] = replicas.servers;
    const { id } = await one.client.contacts.upsert({ phone, properties: { city: 'Paris' } });

    expect((await two.client.contacts.find(phone))?.id).toBe(id);
    await two.client.transactional.send({ phone, templateId: 'welcome' });
    expect((await one.journal.sends()).map(({ text }) => text)).toEqual(['Hi']);
  });

  test('begin with the seed once', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      contacts: [{ phone }],
      quota: 3,
    });
    const [one, two] = replicas.servers;

    expect(await one.quota.read()).toEqual(await two.quota.read());
    expect((await two.contacts.list()).data.map((contact) => contact.phone)).toEqual([phone]);
  });

  test('have one clock', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    await one.clock.advance('1h');
    await two.settled();
    const { headers, clockUrl } = controlOf(replicas.baseUrls[1], two.apiKey);

    const told: unknown = await (await fetch(clockUrl, { headers })).json();
    expect(told).toMatchObject({ time: '2026-01-01T10:00:00.000Z', flow: 'frozen' });
    await two.clock.advance('1h');
    await one.client.templates.list();
    expect(new Date(one.clock.now()).toISOString()).toBe('2026-01-01T11:00:00.000Z');
  });

  test('inject a fault once, whichever of them is asked', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    await one.settled();
    const { headers, faultsUrl } = controlOf(replicas.baseUrls[0], one.apiKey);
    const rule = { operation: 'templates.list', fault: { kind: 'status', status: 500 }, times: 1 };
    await fetch(faultsUrl, { method: 'POST', headers, body: JSON.stringify(rule) });
    const calls = [two, one, two].map((server) =>
      server.client.templates.list().then(
        () => 200,
        () => 500,
      ),
    );

    expect((await Promise.all(calls)).sort()).toEqual([200, 200, 500]);
  });

  test('have the same settings', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    one.specGaps.set({ unauthorizedStatus: 403 });
    await one.settled();
    await two.client.templates.list();

    expect(two.specGaps.read().unauthorizedStatus).toBe(403);
  });

  test('count the requests of a rate limit together', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      specGaps: { rateLimit: { requests: 3, per: '1m' } },
    });
    const calls = [0, 1, 0, 1, 0].map((index) =>
      replicas.servers[index === 0 ? 0 : 1].client.templates.list().then(
        () => 'ok',
        () => 'refused',
      ),
    );

    expect((await Promise.all(calls)).filter((outcome) => outcome === 'ok')).toHaveLength(3);
  });

  test('spend a quota once', async () => {
    const seed = {
      quota: 5,
      addOnCredits: 2,
      contacts: [{ phone }],
      templates: [{ id: 'welcome', body: 'Hi' }],
    };
    await using replicas = await startReplicas(postgres().connectionString, seed);
    const sends = Array.from({ length: 20 }, (_, index) =>
      replicas.servers[index % 2 === 0 ? 0 : 1].client.transactional
        .send({ phone, templateId: 'welcome' })
        .then(
          () => 'sent',
          () => 'refused',
        ),
    );

    expect((await Promise.all(sends)).filter((outcome) => outcome === 'sent')).toHaveLength(7);
    expect(await replicas.servers[0].journal.sends()).toHaveLength(7);
  });

  test('have one journal, with the same numbers', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? one : two).client.contacts.upsert({ phone: `+1555000${1000 + index}` }),
      ),
    );
    const [ofOne, ofTwo] = [await one.journal.entries(), await two.journal.entries()];

    expect(ofOne).toHaveLength(30);
    expect(ofTwo).toEqual(ofOne);
  });

  test('deliver what came to the other one, and wait for it', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    await two.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
    const delivered = two.deliveries.waitFor(
      { event: 'message.received', contact: phone },
      { timeout: '20s' },
    );
    await one.simulate.inboundMessage({ phone, body: 'Hello' });

    expect((await delivered).attempts).toHaveLength(1);
    expect(await two.journal.deliveries()).toHaveLength(1);
  });

  test('retry what failed at the other one, also when that is closed', async () => {
    let attempts = 0;
    const failing = async () => {
      attempts += 1;
      return new Response(null, { status: attempts === 1 ? 500 : 204 });
    };
    await using replicas = await startReplicas(postgres().connectionString, { fetch: failing });
    const [one, two] = replicas.servers;
    await one.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
    await one.simulate.inboundMessage({ phone, body: 'Hello' });
    await one.settled();
    await one.close();
    await two.clock.advance('10s');
    const [delivery] = await two.journal.deliveries();

    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ number: 1 }, { number: 2 }] });
  });

  test('go on with a journey that began at the other one', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      contacts: [{ phone }],
      templates: [{ id: 'reminder', body: 'Still there?' }],
      journeys: [
        {
          id: 'remind',
          event: 'cart_left',
          steps: [{ wait: '1d' }, { send: 'reminder' }],
        },
      ],
    });
    const [one, two] = replicas.servers;
    await one.client.events.track({ event: 'cart_left', phone });
    await one.settled();
    expect(two.clock.now()).toBe(one.clock.now());
    await two.clock.advanceToNext();

    expect((await one.journal.sends()).map(({ text }) => text)).toEqual(['Still there?']);
    expect(new Date(two.clock.now()).toISOString()).toBe('2026-01-02T09:00:00.000Z');
  });

  test('begin a rate limit again after a reset of either', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      specGaps: { rateLimit: { requests: 2, per: '1m' } },
    });
    const [one, two] = replicas.servers;
    for (const server of [one, two]) await server.client.templates.list();
    await expect(two.client.templates.list()).rejects.toMatchObject({ status: 429 });
    await one.reset();

    for (const server of [one, two]) expect(await server.client.templates.list()).toEqual([]);
    await expect(one.client.templates.list()).rejects.toMatchObject({ status: 429 });
  });

  test('restore and reset for both', async () => {
    await using replicas = await startReplicas(postgres().connectionString, { contacts: [{ phone }] });
    const [one, two] = replicas.servers;
    await one.client.contacts.upsert({ phone: '+15557654321' });
    const snapshot = await one.snapshot();
    await two.reset();
    expect((await one.contacts.list()).data).toHaveLength(1);
    expect(await one.journal.entries()).toEqual([]);
    await one.restore(snapshot);

    expect((await two.contacts.list()).data).toHaveLength(2);
  });

  test('open with the keys of either, and refuse those that were revoked', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    const issued = await one.keys.issue();
    const messaging = new MessagingAutomation({ apiKey: issued, baseUrl: replicas.baseUrls[1], retries: 0 });
    expect(await messaging.templates.list()).toEqual([]);
    await two.keys.revoke(issued);

    await expect(messaging.templates.list()).rejects.toMatchObject({ status: 401 });
  });

  test('do not accept a revoked key again because one of them starts with it', async () => {
    await using replicas = await startReplicas(postgres().connectionString, {
      apiKey: 'key_to_be_revoked',
      workspaceId: 'revoking',
    });
    await replicas.servers[0].keys.revoke('key_to_be_revoked');
    await using again = await startReplicas(postgres().connectionString, {
      apiKey: 'key_to_be_revoked',
      workspaceId: 'revoking',
    });

    await expect(again.servers[0].client.templates.list()).rejects.toMatchObject({ status: 401 });
  });

  test('share further workspaces, until one of them is closed', async () => {
    await using replicas = await startReplicas(postgres().connectionString);
    const [one, two] = replicas.servers;
    const workspace = one.workspace({ contacts: [{ phone }] });
    await workspace.settled();
    const messaging = new MessagingAutomation({
      apiKey: workspace.apiKey,
      baseUrl: replicas.baseUrls[1],
      retries: 0,
    });
    expect((await messaging.contacts.find(phone))?.properties.phone).toBe(phone);
    expect((await two.workspaces.list()).map(({ workspaceId }) => workspaceId)).toContain(workspace.id);
    await workspace.close();

    await expect(messaging.contacts.find(phone)).rejects.toMatchObject({ status: 401 });
  });
});

function controlOf(baseUrl: string, apiKey: string) {
  const { origin } = new URL(baseUrl);
  return {
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    clockUrl: `${origin}/control/clock`,
    faultsUrl: `${origin}/control/faults`,
  };
}
