import { describe, expect, test } from 'vitest';
import { openServer, phone } from './gaps/gap-server.js';

const segments = [{ id: 'buyers', event: 'order_placed' }];
const order = { event: 'order_placed', phone, properties: { orderId: 'A-1001' } };

/** Statements of the document that no endpoint shows the effect of: the reference server's journal does. */
describe('what the document states and no endpoint shows', () => {
  test('§1 an event starts a journey, which sends a template with values of the event, in its time', async () => {
    const variables = { '1': { contact: 'firstName' }, '2': { event: 'orderId' } };
    const steps = [{ wait: '1h' as const }, { send: 'order_update', variables }];
    const { server, ask, create } = openServer(
      {},
      {
        journeys: [{ id: 'follow_up', event: 'order_placed', steps }],
      },
    );
    await create({ firstName: 'Ada' });
    await ask('POST', '/v1/events', { ...order, event: 'order_cancelled' });
    await ask('POST', '/v1/events', order);
    await server.settled();
    expect(await server.journal.sends()).toEqual([]);
    expect(await server.journal.journeyRuns()).toMatchObject([{ journeyId: 'follow_up', status: 'waiting' }]);
    await server.clock.advance('1h');
    expect(await server.journal.sends()).toMatchObject([
      { phone, text: 'Hello Ada, your order A-1001 is on its way.' },
    ]);
  });

  test('§4 an event is processed after the 202, and feeds the segments', async () => {
    const { server, ask, create } = openServer({}, { segments });
    const id = await create();
    expect((await ask('POST', '/v1/events', order)).status).toBe(202);
    expect(await server.journal.segmentMembers('buyers')).toEqual([]);
    await server.settled();
    expect(await server.journal.segmentMembers('buyers')).toEqual([id]);
    expect(await server.journal.events()).toMatchObject([
      { contactId: id, event: 'order_placed', properties: order.properties },
    ]);
  });

  test('§2 deleting a contact removes its events and its segment memberships', async () => {
    const { server, ask, create } = openServer({}, { segments });
    const id = await create();
    await ask('POST', '/v1/events', order);
    await server.settled();
    expect((await ask('DELETE', `/v1/contacts/${id}`)).status).toBe(204);
    expect(await server.journal.events()).toEqual([]);
    expect(await server.journal.segmentMembers('buyers')).toEqual([]);
  });

  test('§4 the message that goes out is the template with its placeholders filled', async () => {
    const { server, ask, create } = openServer();
    await create();
    const variables = { '1': 'Ada', '2': 'A-1001' };
    await ask('POST', '/v1/transactional', { phone, templateId: 'order_update', variables });
    expect(await server.journal.sends()).toMatchObject([
      { phone, text: 'Hello Ada, your order A-1001 is on its way.' },
    ]);
  });

  test('§8 a send takes one conversation off the quota, and off the credits when the quota is spent', async () => {
    const { server, ask, create } = openServer({}, { quota: 1, addOnCredits: 1 });
    await create();
    const send = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };
    await ask('POST', '/v1/transactional', send);
    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 1 });
    await ask('POST', '/v1/transactional', send);
    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 0 });
  });
});
