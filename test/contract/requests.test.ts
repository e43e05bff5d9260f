import { MessagingAutomation } from 'messaging-automation';
import { describe, expect, onTestFinished, test } from 'vitest';
import { approvedTemplate } from './world.js';
import { createHandWrittenWorld } from './worlds/hand-written.js';

interface SentRequest {
  readonly line: string;
  readonly headers: Headers;
  readonly body: unknown;
}

describe('the requests of the SDK, read by the document', () => {
  test('§4 paths are relative to the base URL, which carries /api, and are those of the eleven endpoints', async () => {
    const sent = await everyRequest();
    expect(sent.map(({ line }) => line)).toEqual([
      'POST /api/v1/contacts',
      'GET /api/v1/contacts/find?phone=%2B15551234567',
      'GET /api/v1/contacts/contact-1',
      'PUT /api/v1/contacts/contact-1',
      'POST /api/v1/transactional',
      'POST /api/v1/events',
      'POST /api/v1/webhooks',
      'GET /api/v1/webhooks',
      'DELETE /api/v1/webhooks/subscription-2',
      'GET /api/v1/templates',
      'DELETE /api/v1/contacts/contact-1',
    ]);
  });

  test('§4 all request bodies are JSON, sent with Content-Type: application/json', async () => {
    const bodies = (await everyRequest()).filter(({ body }) => body !== undefined);
    expect(bodies.map(({ line }) => line)).toEqual([
      'POST /api/v1/contacts',
      'PUT /api/v1/contacts/contact-1',
      'POST /api/v1/transactional',
      'POST /api/v1/events',
      'POST /api/v1/webhooks',
    ]);
    for (const { headers, body } of bodies) {
      expect(headers.get('content-type')).toBe('application/json');
      expect(JSON.parse(String(body))).toEqual(expect.any(Object));
    }
  });

  test('§5 every request carries Authorization: Bearer <API_KEY>', async () => {
    for (const { line, headers } of await everyRequest()) {
      expect(headers.get('authorization'), line).toBe('Bearer key_of_the_hand_written_world');
    }
  });
});

/** Calls every method of the SDK once, and gives what went out. */
async function everyRequest(): Promise<readonly SentRequest[]> {
  const world = await createHandWrittenWorld({});
  onTestFinished(() => world.close());
  const sent: SentRequest[] = [];
  const { apiKey, baseUrl } = world;
  const messaging = new MessagingAutomation({
    apiKey,
    baseUrl,
    fetch: (url, init) => {
      const { pathname, search } = new URL(url);
      const line = `${init.method} ${pathname}${search}`;
      sent.push({ line, headers: new Headers(init.headers), body: init.body ?? undefined });
      return fetch(url, init);
    },
  });

  const phone = '+15551234567';
  const { id } = await messaging.contacts.upsert({ phone });
  await messaging.contacts.find(phone);
  await messaging.contacts.get(id);
  await messaging.contacts.update(id, { properties: { city: 'London' } });
  const variables = { '1': 'Ada', '2': 'A-1001' };
  await messaging.transactional.send({ phone, templateId: approvedTemplate, variables });
  await messaging.events.track({ event: 'order_placed', phone });
  const { url } = world.receiver;
  const subscription = await messaging.webhooks.create({ url, events: ['message.received'] });
  await messaging.webhooks.list();
  await messaging.webhooks.delete(subscription.id);
  await messaging.templates.list();
  await messaging.contacts.delete(id);
  return sent;
}
