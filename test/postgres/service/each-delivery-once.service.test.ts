import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startService } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('two replicas over a PostgreSQL with the settings of its package', () => {
  const postgres = usePostgres();

  test('deliver 120 messages to each of three subscriptions once', async () => {
    const arrivals = new Map<string, number>();
    const receiver = createServer(async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const delivery = `${request.url} ${Buffer.concat(chunks).toString()}`;
      arrivals.set(delivery, (arrivals.get(delivery) ?? 0) + 1);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const address = receiver.address();
    if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');

    const { one, two } = await startService(postgres());
    for (const path of ['a', 'b', 'c']) {
      const url = `http://127.0.0.1:${address.port}/${path}`;
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
    expect(arrivals.size).toBe(360);
    expect(new Set(arrivals.values())).toEqual(new Set([1]));
  });
});
