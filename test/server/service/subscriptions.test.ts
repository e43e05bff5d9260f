import { expect, test } from 'vitest';
import { askWith, field, refusal, startServer } from '../support/reference.js';

const input = { url: 'https://example.com/hooks', events: ['message.received'] };

test('a subscription is created with a secret of its own, which is shown once', async () => {
  const server = startServer();
  const ask = askWith(server);
  const first = await ask('POST', '/v1/webhooks', input);
  const second = await ask('POST', '/v1/webhooks', input);
  expect(first).toMatchObject({ status: 201 });
  expect(first.body).toEqual({
    id: expect.stringMatching(/^webhook_/),
    ...input,
    secret: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
    enabled: true,
    createdAt: server.clock.now(),
  });
  expect(field(second.body, 'secret')).not.toBe(field(first.body, 'secret'));

  const { status, body } = await ask('GET', '/v1/webhooks');
  const shown = [first, second].map(({ body: created }) => {
    const { secret: _, ...rest } = Object(created);
    return rest;
  });
  expect([status, body]).toEqual([200, { data: shown }]);
});

test('an event type named twice counts once', async () => {
  const { body } = await askWith(startServer())('POST', '/v1/webhooks', {
    ...input,
    events: ['message.received', 'contact.opted_in', 'message.received'],
  });
  expect(field(body, 'events')).toEqual(['message.received', 'contact.opted_in']);
});

test('a deleted subscription is gone, and can be deleted once', async () => {
  const ask = askWith(startServer());
  const { body } = await ask('POST', '/v1/webhooks', input);
  const path = `/v1/webhooks/${field(body, 'id')}`;
  expect(await ask('DELETE', path)).toMatchObject({ status: 204, body: undefined });
  expect(await ask('DELETE', path)).toMatchObject({ status: 404, body: refusal('not_found') });
  expect((await ask('GET', '/v1/webhooks')).body).toEqual({ data: [] });
});

test('ids and secrets come from the sources that the server is given', async () => {
  const ids: string[] = [];
  const server = startServer({
    newId: (kind) => `${kind}-${ids.push(kind)}`,
    randomBytes: (length) => new Uint8Array(length).fill(0xab),
  });
  const { body } = await askWith(server)('POST', '/v1/webhooks', input);
  expect(body).toMatchObject({
    id: expect.stringMatching(/^webhook-\d+$/),
    secret: `whsec_${'ab'.repeat(32)}`,
  });
  expect(ids).toEqual(['workspace', 'key', 'request', 'webhook']);
});
