import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.js';
import { phone } from '../support/reference.js';
import { openWorkspace } from '../support/subscribed.js';

test('a delivery prints its body as text, and has the bytes that were sent', async () => {
  const receiver = await startReceiver();
  const { server, subscribe, receive } = openWorkspace();
  await subscribe(receiver.url, ['message.received']);
  await receive('Hello, Ada');
  const delivery = await server.deliveries.waitFor({ contact: phone });
  const [attempt] = await server.journal.find('attempt');
  const again = await server.deliveries.redeliver(delivery.id);
  await server.settled();
  const [listed] = await server.journal.deliveries();

  for (const each of [delivery, attempt?.delivery, again, listed]) {
    const printed = inspect(each, { depth: null });
    expect(printed).toContain('"body":"Hello, Ada"');
    expect(printed).not.toContain('Uint8Array');
    expect(each?.bodyText).toBe(String(receiver.received[0]?.body));
    expect(Buffer.from(each?.body ?? [])).toEqual(receiver.received[0]?.body);
  }
});
