import { expect, test } from 'vitest';
import { askWith, field, startServer } from '../support/reference.js';

const url = 'https://example.com/hooks';

test('an event type that a subscription names twice counts once', async () => {
  const events = ['message.received', 'contact.opted_in', 'message.received'];
  const { body } = await askWith(startServer())('POST', '/v1/webhooks', { url, events });
  expect(field(body, 'events')).toEqual(['message.received', 'contact.opted_in']);
});

test('ids and secrets come from the sources that the server is given', async () => {
  const ids: string[] = [];
  const server = startServer({
    newId: (kind) => `${kind}-${ids.push(kind)}`,
    randomBytes: (length) => new Uint8Array(length).fill(0xab),
  });
  const events = ['message.received'];
  const { status, body } = await askWith(server)('POST', '/v1/webhooks', { url, events });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^webhook-\d+$/),
      url,
      events,
      secret: `whsec_${'ab'.repeat(32)}`,
      enabled: true,
      createdAt: server.clock.now(),
    },
  ]);
  expect(ids).toEqual(['workspace', 'key', 'request', 'webhook']);
});
