import type { ServerLogEntry } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { answer as answerWith, startReceiver } from '../support/receiver.js';
import { askWith, field, phone, startServer } from '../support/reference.js';

test('a request is logged with its template, its status and the id that its answer carries', async () => {
  const log: ServerLogEntry[] = [];
  const server = startServer({ log: (entry) => log.push(entry) });
  const ask = askWith(server);
  const answers = [
    await ask('GET', '/v1/contacts/x'),
    await ask('GET', '/v1/contacts/find?phone=%2B15551234567'),
    await ask('PATCH', '/v1/templates'),
    await ask('GET', `/v1/nothing/${phone}`),
  ];
  const time = new Date(server.clock.now()).toISOString();
  expect(log).toEqual(
    [
      { method: 'GET', path: '/api/v1/contacts/:id', status: 404 },
      { method: 'GET', path: '/api/v1/contacts/find', status: 404 },
      { method: 'PATCH', path: '/api/v1/templates', status: 405 },
      { method: 'GET', path: '/api/v1/nothing/***', status: 404 },
    ].map((entry, i) => ({
      type: 'request',
      time,
      requestId: answers[i]?.headers.get('x-request-id'),
      ...entry,
    })),
  );
});

test('the log holds no key, secret, phone, body or path that could hold one', async () => {
  const log: ServerLogEntry[] = [];
  const ids: string[] = [];
  const receiver = await startReceiver(answerWith(500), answerWith(200));
  const server = startServer({
    apiKey: 'key_canary_1',
    // Random ones might hold the digits that are looked for.
    newId: (kind) => `${kind}_${ids.push(kind)}`,
    log: (entry) => log.push({ ...entry, time: '' }),
    templates: [{ id: 't', body: 'Hello {{1}}' }],
  });
  const ask = askWith(server);
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
