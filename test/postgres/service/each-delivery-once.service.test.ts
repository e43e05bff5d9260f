import { describe, expect, test } from 'vitest';
import { answer, startReceiver } from '../../server/support/receiver.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startService } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('two replicas over a PostgreSQL with the settings of its package', () => {
  const postgres = usePostgres();

  test('deliver 120 messages to each of three subscriptions once', async () => {
    const receiver = await startReceiver(answer(204));
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
