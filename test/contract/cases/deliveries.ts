import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase } from '../contract-case.js';
import { bodyOf } from '../delivery-body.js';

const phone = '+15551234567';
const utcWithMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** §6 Events: what is delivered, to whom, and in which shape. */
export const deliveryCases = [
  contractCase(statements.messageReceived, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['message.received'] });
    await environment.inboundMessage({ phone, body: 'Is it here yet?' });
    await environment.settled();
    expect(environment.receiver.deliveries.map(bodyOf)).toMatchObject([{ event: 'message.received' }]);
  }),

  contractCase(statements.optedIn, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['contact.opted_in'] });
    await environment.inboundMessage({ phone, body: 'STOP' });
    await environment.inboundMessage({ phone, body: 'START' });
    await environment.settled();
    expect(environment.receiver.deliveries.map(bodyOf)).toMatchObject([{ event: 'contact.opted_in' }]);
  }),

  contractCase(statements.optedOut, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['contact.opted_out'] });
    await environment.inboundMessage({ phone, body: 'STOP' });
    await environment.settled();
    expect(environment.receiver.deliveries.map(bodyOf)).toMatchObject([{ event: 'contact.opted_out' }]);
  }),

  contractCase(statements.deliveryRequest, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['message.received'] });
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    const [delivery] = environment.receiver.deliveries;
    expect(delivery?.method).toBe('POST');
    expect(delivery?.path).toBe(new URL(environment.receiver.url).pathname);
    expect(delivery?.headers.get('content-type')).toContain('application/json');
    expect(bodyOf(delivery)).toEqual(expect.any(Object));
  }),

  contractCase(statements.deliveryOfSubscribed, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['contact.opted_in'] });
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.inboundMessage({ phone, body: 'STOP' });
    await environment.settled();
    expect(environment.receiver.deliveries).toEqual([]);
  }),

  contractCase(statements.deliveryToEach, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    const { url } = environment.receiver;
    await messaging.webhooks.create({ url: `${url}/a`, events: ['message.received', 'contact.opted_out'] });
    await messaging.webhooks.create({ url: `${url}/b`, events: ['message.received'] });
    await environment.inboundMessage({ phone, body: 'STOP' });
    await environment.settled();
    const got = environment.receiver.deliveries.map(
      (delivery) => `${delivery.path} ${bodyOf(delivery).event}`,
    );
    expect(got.sort()).toEqual([
      '/hooks/a contact.opted_out',
      '/hooks/a message.received',
      '/hooks/b message.received',
    ]);
  }),

  contractCase(statements.deliveryBody, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    const events = ['message.received', 'contact.opted_in', 'contact.opted_out'] as const;
    await messaging.webhooks.create({ url: environment.receiver.url, events });
    await environment.inboundMessage({ phone, body: 'STOP' });
    await environment.inboundMessage({ phone, body: 'START' });
    await environment.settled();
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

  contractCase(statements.deliveryTimestamp, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['message.received'] });
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    expect(bodyOf(environment.receiver.deliveries[0]).timestamp).toMatch(utcWithMilliseconds);
  }),

  contractCase(statements.messageData, async ({ messaging, environment }) => {
    const { id: contactId } = await messaging.contacts.upsert({ phone });
    await messaging.webhooks.create({ url: environment.receiver.url, events: ['message.received'] });
    await environment.inboundMessage({ phone, body: 'Grüße, 👋' });
    await environment.settled();
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

  contractCase(statements.deliveryEnds, async ({ messaging, environment }) => {
    await messaging.contacts.upsert({ phone });
    const { url } = environment.receiver;
    const { id } = await messaging.webhooks.create({ url, events: ['message.received'] });
    await messaging.webhooks.delete(id);
    await environment.inboundMessage({ phone, body: 'Hello' });
    await environment.settled();
    expect(environment.receiver.deliveries).toEqual([]);
  }),
];
