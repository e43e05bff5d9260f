import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, phone } from '../contract-case.js';
import { bodyOf } from '../delivery-body.js';

const utcWithMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** §6 Events: what is delivered, to whom, and in which shape. */
export const deliveryCases = [
  ...(
    [
      [statements.messageReceived, 'message.received', ['Is it here yet?']],
      [statements.optedIn, 'contact.opted_in', ['STOP', 'START']],
      [statements.optedOut, 'contact.opted_out', ['STOP']],
    ] as const
  ).map(([statement, event, texts]) =>
    contractCase(statement, async ({ environment, subscribe, say }) => {
      await subscribe([event]);
      await say(...texts);
      expect(environment.receiver.deliveries.map(bodyOf)).toMatchObject([{ event }]);
    }),
  ),

  contractCase(statements.deliveryRequest, async ({ environment, subscribe, say }) => {
    await subscribe();
    await say('Hello');
    const [delivery] = environment.receiver.deliveries;
    expect(delivery?.method).toBe('POST');
    expect(delivery?.path).toBe(new URL(environment.receiver.url).pathname);
    expect(delivery?.headers.get('content-type')).toContain('application/json');
    expect(bodyOf(delivery)).toEqual(expect.any(Object));
  }),

  contractCase(statements.deliveryOfSubscribed, async ({ environment, subscribe, say }) => {
    await subscribe(['contact.opted_in']);
    await say('Hello', 'STOP');
    expect(environment.receiver.deliveries).toEqual([]);
  }),

  contractCase(statements.deliveryToEach, async ({ environment, subscribe, say }) => {
    await subscribe(['message.received', 'contact.opted_out'], '/a');
    await subscribe(['message.received'], '/b');
    await say('STOP');
    const got = environment.receiver.deliveries.map(
      (delivery) => `${delivery.path} ${bodyOf(delivery).event}`,
    );
    expect(got.sort()).toEqual([
      '/hooks/a contact.opted_out',
      '/hooks/a message.received',
      '/hooks/b message.received',
    ]);
  }),

  contractCase(statements.deliveryBody, async ({ environment, subscribe, say }) => {
    const events = ['message.received', 'contact.opted_in', 'contact.opted_out'] as const;
    await subscribe(events);
    await say('STOP', 'START');
    const bodies = environment.receiver.deliveries.map(bodyOf);
    expect(bodies.map(({ event }) => event)).toEqual(expect.arrayContaining([...events]));
    for (const body of bodies) {
      expect(body).toMatchObject({
        workspaceId: expect.any(String),
        timestamp: expect.any(String),
        data: expect.any(Object),
      });
    }
    expect(new Set(bodies.map(({ workspaceId }) => workspaceId)).size).toBe(1);
  }),

  contractCase(statements.deliveryTimestamp, async ({ environment, subscribe, say }) => {
    await subscribe();
    await say('Hello');
    expect(bodyOf(environment.receiver.deliveries[0]).timestamp).toMatch(utcWithMilliseconds);
  }),

  contractCase(statements.messageData, async ({ environment, messaging, subscribe, say }) => {
    await subscribe();
    const { id: contactId } = await messaging.contacts.upsert({ phone });
    await say('Grüße, 👋');
    expect(bodyOf(environment.receiver.deliveries[0]).data).toMatchObject({
      conversationId: expect.any(String),
      messageId: expect.any(String),
      contactId,
      phone,
      type: 'text',
      body: 'Grüße, 👋',
      receivedAt: expect.stringMatching(utcWithMilliseconds),
    });
  }),

  contractCase(statements.deliveryEnds, async ({ environment, messaging, subscribe, say }) => {
    const { id } = await subscribe();
    await messaging.webhooks.delete(id);
    await say('Hello');
    expect(environment.receiver.deliveries).toEqual([]);
  }),
];
