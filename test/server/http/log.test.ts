import type { ServerLogEntry } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { reply as respondWith, startReceiver } from '../support/receiver.js';
import { field, phone, startServer, startWithApi } from '../support/reference.js';

test('a request is logged with its template, its status and the id that its response carries', async () => {
  const log: ServerLogEntry[] = [];
  const { server, ask } = startWithApi({ log: (entry) => log.push(entry) });
  const requests = [
    [
      'GET /v1/contacts/x',
      '/api/v1/contacts/:id',
      404,
      'not_found: No contact of this workspace has this id',
    ],
    ['GET /v1/contacts/find?phone=%2B15551234567', '/api/v1/contacts/find', 404, 'phone +***67'],
    [
      'PATCH /v1/templates',
      '/api/v1/templates',
      405,
      'method_not_allowed: This path supports GET, not PATCH.',
    ],
    [`GET /v1/nothing/${phone}`, '/api/v1/nothing/***', 404, 'No endpoint exists at /api/v1/nothing/***'],
  ] as const;
  for (const [request, path, status, words] of requests) {
    const [method = '', address = ''] = request.split(' ');
    const { headers } = await ask(method, address);
    expect(log.at(-1)).toEqual({
      type: 'request',
      time: new Date(server.clock.now()).toISOString(),
      requestId: headers.get('x-request-id'),
      method,
      path,
      status,
      error: expect.stringContaining(words),
    });
  }
  expect(log).toHaveLength(requests.length);
});

test('the log holds no key, secret, phone, body or path that could hold one', async () => {
  const log: ServerLogEntry[] = [];
  const ids: string[] = [];
  const receiver = await startReceiver(respondWith(500), respondWith(200));
  const { server, ask } = startWithApi({
    apiKey: 'key_canary_1',
    // Random ids, and the time of the machine, might hold the digits that are looked for.
    clock: 'frozen',
    now: '2026-01-01T00:00:00Z',
    newId: (kind) => `${kind}_${ids.push(kind)}`,
    log: (entry) => log.push({ ...entry, time: '' }),
    templates: [{ id: 't', body: 'Hello {{1}}' }],
  });
  server.workspace({ apiKey: 'canary-of-another' });
  const { body: subscription } = await ask('POST', '/v1/webhooks', {
    url: `${receiver.url}?token=canary_2`,
    events: ['message.received', 'contact.opted_out'],
  });
  await ask('POST', '/v1/contacts', { phone, properties: { note: 'canary_3' } });
  await ask('POST', '/v1/transactional', { phone, templateId: 't', variables: { 1: 'canary_4' } });
  await ask('POST', '/v1/transactional', { phone, templateId: 't', variables: { canary_5: '' } });
  await ask('POST', '/v1/events', { event: 'canary_6', phone, canary_7: 'x' });
  await ask('POST', '/v1/contacts', '{"canary_8":');
  await ask('GET', `/v1/contacts/${phone}`);
  await ask('GET', `/v1/${phone}/key_canary_1`);
  await ask('GET', '/v1/+1-555-123-4567/%2B1%20555%20123%204567/whsec_canary_9');
  await ask('GET', '/v1/templates', undefined, { Authorization: 'Bearer key_canary_10' });
  await ask('GET', '/v1/contacts/find/whsec_canary');
  await ask('GET', '/v1/x-whsec_canary', undefined, { Authorization: undefined });
  await ask('GET', '/v1/canary_key', undefined, { Authorization: 'Bearer canary_key' });
  await ask('GET', '/v1/canary-of-another', undefined, { Authorization: undefined });
  await server.simulate.inboundMessage({ phone, body: 'STOP' });
  await server.settled();
  await server.clock.advance('1m');

  const text = JSON.stringify(log);
  expect(log.filter((entry) => entry.type === 'delivery')).toHaveLength(3);
  expect(log.filter((entry) => entry.type === 'error')).toEqual([]);
  expect(text).not.toMatch(/canary|555|4567|whsec/);
  expect(text).not.toContain(String(field(subscription, 'secret')));
});

test('the log tells the story: who was sent what, why a request was refused, when a retry comes', async () => {
  const log: ServerLogEntry[] = [];
  const receiver = await startReceiver(respondWith(503), respondWith(200));
  const { server, ask } = startWithApi({
    now: '2026-01-01T09:00:00Z',
    log: (entry) => log.push(entry),
    templates: [{ id: 'order_update_2', body: 'Hi' }],
    contacts: [{ phone }],
    journeys: [{ id: 'thank', event: 'order_placed', steps: [{ send: 'order_update_2' }] }],
    segments: [{ id: 'buyers', event: 'order_paid' }],
    managedWebhooks: [{ url: receiver.url, events: ['message.received'] }],
  });
  const told = (type: ServerLogEntry['type']) => log.filter((entry) => entry.type === type);

  await ask('POST', '/v1/transactional', { phone, templateId: 'order_update_2' });
  await ask('POST', '/v1/transactional', { phone, templateId: 'order_updat' });
  await ask('POST', '/v1/transactional', { phone, templateID: 'order_update_2' });
  await ask('POST', '/v1/contacts', { phone: 'by phone 555 4567' });
  await ask('POST', '/v1/contacts', { a: 1, b: 2, c: 3, d: 4, phone });
  expect(told('send')).toMatchObject([{ templateId: 'order_update_2', phone: '+***67', paidBy: 'plan' }]);
  expect(told('request').map((entry) => 'error' in entry && entry.error)).toEqual([
    false,
    expect.stringMatching(/^send_failed: No template has the id "order_updat"/),
    expect.stringMatching(/^invalid_request: templateId is required .*; templateID is not a known field/),
    expect.stringMatching(/^invalid_request: phone must be a phone number in E\.164/),
    expect.stringMatching(/^invalid_request: a is .*; b is .*; c is .*; and 1 more$/),
  ]);

  for (const event of ['order_placd', 'order_placd', 'order_placed', 'order_paid', 'unheard']) {
    await ask('POST', '/v1/events', { phone, event });
  }
  await server.settled();
  expect(told('event')).toHaveLength(5);
  expect(told('notice')).toMatchObject([
    { message: 'no journey or segment listens to order_placd (do you mean order_placed?)' },
    { message: 'no journey or segment listens to unheard.' },
  ]);
  expect(told('send')).toMatchObject([{}, { journeyRunId: expect.any(String) }]);

  await server.simulate.inboundMessage({ phone, body: 'STOP' });
  await server.settled();
  await server.clock.advance('1m');
  expect(told('message')).toMatchObject([{ phone: '+***67', consent: 'opted_out' }]);
  expect(told('delivery')).toMatchObject([
    {
      outcome: 'retrying',
      error: 'the receiver responded with 503',
      nextAttempt: '2026-01-01T09:00:10.000Z',
    },
    { outcome: 'delivered' },
  ]);
  expect(told('delivery')[1]).not.toHaveProperty('nextAttempt');
  expect(JSON.stringify(log)).not.toMatch(/5551234567|555 4567/);
});

test('a log that throws, and names that are none, change nothing of what happens', async () => {
  const log: ServerLogEntry[] = [];
  const server = startServer({
    contacts: [{ phone }],
    log: (entry) => {
      log.push(entry);
      throw new Error('The log is full.');
    },
  });
  await server.client.events.track({ event: `call ${phone}`, phone });
  await server.settled();
  expect(await server.journal.events()).toHaveLength(1);
  expect(log.filter(({ type }) => type !== 'request')).toMatchObject([
    { type: 'event', event: '***' },
    { type: 'notice', message: 'no journey or segment listens to ***.' },
  ]);
});
