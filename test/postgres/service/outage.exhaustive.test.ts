import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnOfMissing } from '../../webhooks/dedupe/availability.js';
import { findPostgres } from '../../webhooks/dedupe/postgres-programs.js';
import { type PostgresServer, startPostgres } from '../../webhooks/dedupe/postgres-server.js';
import { startReplicas } from './replicas.js';

const found = findPostgres();
const suffix = 'missing' in found ? ` (${warnOfMissing('PostgreSQL', found.missing)})` : '';
const phone = '+15551234567';

describe.runIf('programs' in found)(`servers whose database goes away${suffix}`, () => {
  let postgres: PostgresServer;

  beforeAll(async () => {
    if ('missing' in found) return;
    postgres = await startPostgres(found);
  });

  afterAll(() => postgres?.stop());

  test('record an attempt that was under way, and make no other in its place', async () => {
    let posts = 0;
    await using replicas = await startReplicas(postgres.url, {
      fetch: async () => {
        posts += 1;
        // The receiver acknowledges while the database is gone.
        await postgres.end('SIGQUIT');
        const returns = postgres.start();
        queueMicrotask(() => void returns);
        return new Response(null, { status: 204 });
      },
    });
    const [one, two] = replicas.servers;
    await one.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
    await one.simulate.inboundMessage({ phone, body: 'Hello' });
    const delivery = await two.deliveries.waitFor({ contact: phone }, { timeout: '25s' });

    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ number: 1, status: 204 }] });
    expect(posts).toBe(1);
  });

  test('answer 503 with Retry-After meanwhile, and again when it is back', async () => {
    await using replicas = await startReplicas(postgres.url);
    const [one] = replicas.servers;
    await one.client.contacts.upsert({ phone });
    await postgres.end('SIGQUIT');
    const request = () =>
      new Request('http://localhost/api/v1/templates', {
        headers: { Authorization: `Bearer ${one.apiKey}` },
      });
    const refused = await one.fetch(request());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await postgres.start();

    expect((await one.fetch(request())).status).toBe(200);
    expect((await one.client.contacts.find(phone))?.properties.phone).toBe(phone);
  });
});
