import { expect } from 'vitest';
import type { ReferenceWorkspace } from '../../../src/server/index.js';
import { settle } from '../../waiting.js';
import { startPort } from './port.js';

/** A receiver that acknowledges the first request of each connection, and resets it at the next. */
async function startResetting() {
  return startPort((socket, data) => {
    const isFirst = socket.bytesRead === data.length;
    if (isFirst) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    else socket.resetAndDestroy();
  });
}

/** Delivers two messages to such a receiver, one after the other, and expects one attempt of each. */
export async function expectNoAttemptForAReset(workspace: ReferenceWorkspace): Promise<void> {
  const { url, connections } = await startResetting();
  const { client, journal, simulate } = workspace;
  await client.webhooks.create({ url, events: ['message.received'] });
  for (const body of ['one', 'two']) {
    await simulate.inboundMessage({ phone: '+15551234567', body });
    await workspace.settled();
    await settle();
  }
  const deliveries = await journal.deliveries();
  expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
  ]);
  expect(connections).toHaveLength(2);
}
