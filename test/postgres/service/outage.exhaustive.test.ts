import { describe, expect, test } from 'vitest';
import { missingPostgres, useOwnPostgres } from '../support/database.js';
import { startReplicas } from './replicas.js';

const phone = '+15551234567';

describe.skipIf(missingPostgres)('servers whose database goes away', () => {
  const own = useOwnPostgres();

  test('record an attempt that was under way, and make no other in its place', async () => {
    let posts = 0;
    await using replicas = await startReplicas(own().connectionString, {
      fetch: async () => {
        posts += 1;
        // The receiver acknowledges while the database is gone.
        await own().server.end('SIGQUIT');
        const returns = own().server.start();
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
});
