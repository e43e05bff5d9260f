import { NotFoundError } from 'messaging-automation';
import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, phone } from '../contract-case.js';

/** §4 POST /v1/events. */
export const eventCases = [
  contractCase(statements.trackAccepted, async ({ call, messaging }) => {
    await messaging.contacts.upsert({ phone });
    const response = await call('POST', '/v1/events', { event: 'order_placed', phone });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ accepted: true });
  }),

  ...(
    [
      [statements.trackByContactId, (contactId: string) => ({ contactId })],
      [statements.trackByPhone, () => ({ phone })],
      [
        statements.trackProperties,
        (contactId: string) => ({
          contactId,
          properties: { orderId: 'A-1001', lines: [{ sku: 'tea', count: 2 }], note: null },
        }),
      ],
    ] as const
  ).map(([statement, inputOf]) =>
    contractCase(statement, async ({ messaging }) => {
      const { id } = await messaging.contacts.upsert({ phone });
      const result = await messaging.events.track({ event: 'order_placed', ...inputOf(id) });
      expect(result).toMatchObject({ accepted: true });
    }),
  ),

  contractCase(statements.trackNobody, async ({ call, messaging }) => {
    expect((await call('POST', '/v1/events', { event: 'order_placed', phone })).status).toBe(404);
    const byId = { event: 'order_placed', contactId: 'nobody' };
    expect((await call('POST', '/v1/events', byId)).status).toBe(404);
    await expect(messaging.events.track({ event: 'order_placed', phone })).rejects.toThrow(NotFoundError);
  }),

  contractCase(statements.trackAfterCreation, async ({ messaging }) => {
    await expect(messaging.events.track({ event: 'order_placed', phone })).rejects.toThrow(NotFoundError);
    await messaging.contacts.upsert({ phone });
    expect(await messaging.events.track({ event: 'order_placed', phone })).toMatchObject({ accepted: true });
  }),
];
