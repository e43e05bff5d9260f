import { expect, test } from 'vitest';
import { openServer, phone } from './gaps/gap-server.js';

const segments = [{ id: 'buyers', event: 'order_placed' }];
const order = { event: 'order_placed', phone, properties: { orderId: 'A-1001' } };

// No endpoint shows this effect: the reference server's journal does.
test('§2 deleting a contact removes its events and its segment memberships', async () => {
  const { server, ask, create } = openServer({}, { segments });
  const id = await create();
  await ask('POST', '/v1/events', order);
  await server.settled();
  expect((await ask('DELETE', `/v1/contacts/${id}`)).status).toBe(204);
  expect(await server.journal.events()).toEqual([]);
  expect(await server.journal.segmentMembers('buyers')).toEqual([]);
});
