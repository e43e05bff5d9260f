import { NotFoundError } from 'messaging-automation';
import { expect } from 'vitest';
import { contractCase } from '../contract-case.js';

const phone = '+15551234567';

/** §4 POST /v1/events. */
export const eventCases = [
  contractCase('§4 POST /v1/events: 202 with accepted true', async ({ call, messaging }) => {
    await messaging.contacts.upsert({ phone });
    const response = await call('POST', '/v1/events', { event: 'order_placed', phone });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ accepted: true });
  }),

  contractCase('§4 POST /v1/events: the contact is named by contactId', async ({ messaging }) => {
    const { id: contactId } = await messaging.contacts.upsert({ phone });
    const result = await messaging.events.track({ event: 'order_placed', contactId });
    expect(result).toMatchObject({ accepted: true });
  }),

  contractCase('§4 POST /v1/events: or by phone', async ({ messaging }) => {
    await messaging.contacts.upsert({ phone });
    const result = await messaging.events.track({ event: 'order_placed', phone });
    expect(result).toMatchObject({ accepted: true });
  }),

  contractCase('§4 POST /v1/events: properties may hold any payload', async ({ messaging }) => {
    const { id: contactId } = await messaging.contacts.upsert({ phone });
    const properties = { orderId: 'A-1001', lines: [{ sku: 'tea', count: 2 }], note: null };
    const result = await messaging.events.track({ event: 'order_placed', contactId, properties });
    expect(result).toMatchObject({ accepted: true });
  }),

  contractCase('§4 POST /v1/events: 404 when the contact does not exist', async ({ call, messaging }) => {
    expect((await call('POST', '/v1/events', { event: 'order_placed', phone })).status).toBe(404);
    const byId = { event: 'order_placed', contactId: 'nobody' };
    expect((await call('POST', '/v1/events', byId)).status).toBe(404);
    await expect(messaging.events.track({ event: 'order_placed', phone })).rejects.toThrow(NotFoundError);
  }),

  contractCase('§4 POST /v1/events: accepted once the contact was created', async ({ messaging }) => {
    await expect(messaging.events.track({ event: 'order_placed', phone })).rejects.toThrow(NotFoundError);
    await messaging.contacts.upsert({ phone });
    expect(await messaging.events.track({ event: 'order_placed', phone })).toMatchObject({ accepted: true });
  }),
];
