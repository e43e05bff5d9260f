import { createReferenceServer } from 'messaging-automation/server';
import { expect, onTestFinished, test } from 'vitest';
import type { NumberedEntry } from '../../../src/server/inspection/inspection.js';
import { copiesOf } from '../../../src/server/subjects/journal/copies.js';
import { reply, startReceiver } from '../support/receiver.js';
import { phone, startServer } from '../support/reference.js';

const origin = 'http://127.0.0.1:4010';
const key = '-H "Authorization: Bearer $MESSAGING_AUTOMATION_API_KEY"';
const json = "-H 'Content-Type: application/json'";

/** The lines of the command, and the calls of the code, of the last entry of a type. */
async function lastCopies(
  { journal }: ReturnType<typeof startServer>,
  type: NumberedEntry['type'],
): Promise<{ readonly curl: readonly string[]; readonly code: string; readonly test: string }> {
  const number = (await journal.entries()).findLastIndex((entry) => entry.type === type) + 1;
  const { curl, code, test: text } = (await journal.inspect(number)).copies;
  return {
    curl: curl.split(' \\\n  '),
    code: code.replace(/^import(.|\n)*?(= new .*|\}\);)\n/, '').trim(),
    test: text,
  };
}

function startWithContact() {
  return startServer({
    contacts: [{ phone }],
    templates: [{ id: 'hi', body: 'Hi {{1}}' }],
    journeys: [{ id: 'greet', event: 'seen', steps: [{ wait: '1h' }] }],
    newId: (() => {
      let count = 0;
      return (kind) => (kind === 'contact' ? `contact ${++count} €` : `${kind}_${++count}`);
    })(),
  });
}

test('the copies of requests have their method, path and body', async () => {
  const server = startWithContact();
  const { id } = (await server.contacts.read(phone)) ?? { id: '' };
  const address = `${origin}/api/v1/contacts/${encodeURIComponent(id)}`;

  await server.client.contacts.get(id);
  const get = await lastCopies(server, 'request');
  expect(get.curl).toEqual([`curl ${address}`, key]);
  expect(get.code).toBe(`await messaging.contacts.get('${id}');`);

  const properties = { "it's": "Ada's", 'a-b': 'say "a" and "b"', list: ['\u2028'] };
  await server.client.contacts.update(id, { properties });
  const put = await lastCopies(server, 'request');
  expect(put.curl).toEqual([
    `curl -X PUT ${address}`,
    key,
    json,
    `-d '${JSON.stringify({ properties }).replaceAll("'", `'\\''`)}'`,
  ]);
  const written = `{ properties: { "it's": "Ada's", 'a-b': 'say "a" and "b"', list: ['\\u2028'] } }`;
  expect(put.code).toBe(`await messaging.contacts.update('${id}', ${written});`);

  await server.client.contacts.delete(id);
  const deleted = await lastCopies(server, 'request');
  expect(deleted.curl).toEqual([`curl -X DELETE ${address}`, key]);
  expect(deleted.code).toBe(`await messaging.contacts.delete('${id}');`);
});

test('the copies of sends, events, messages and runs repeat them', async () => {
  const server = startWithContact();
  const { client, simulate } = server;
  const post = (path: string, body: object) => [
    `curl ${origin}${path}`,
    key,
    json,
    `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ];
  const send = { phone, templateId: 'hi', variables: { '1': 'Ada' } };
  await client.transactional.send(send);
  const sent = await lastCopies(server, 'send');
  expect(sent.curl).toEqual(post('/api/v1/transactional', send));
  expect(sent.code).toContain(`variables: { '1': 'Ada' } });`);
  expect(sent.test).toContain(`  await server.contact('${phone}').receives('hi', { text: 'Hi Ada' });\n});`);
  expect(sent.test).toContain("import { onTestFinished, test } from 'vitest';");
  await client.transactional.send(send);
  const both = await server.journal.testSince();
  expect(both).toContain("expect((await server.journal.find('send')).slice(0, 2)).toMatchObject([");
  expect(both).toContain("import { expect, onTestFinished, test } from 'vitest';");

  const event = { phone, event: 'seen', properties: { page: 'home' } };
  await client.events.track(event);
  const tracked = await lastCopies(server, 'event');
  expect(tracked.curl).toEqual(post('/api/v1/events', event));
  expect(tracked.code).toContain(
    `events.track({ phone: '${phone}', event: 'seen', properties: { page: 'home' } });`,
  );

  await simulate.inboundMessage({ phone, body: "It's Ada's; rm -rf /" });
  const message = await lastCopies(server, 'message');
  expect(message.curl.at(-1)).toBe(`-d '{"phone":"${phone}","body":"It'\\''s Ada'\\''s; rm -rf /"}'`);
  expect(message.code).toContain(`await server.contact('${phone}').says("It's Ada's; rm -rf /");`);

  await server.settled();
  const run = await lastCopies(server, 'journey');
  expect(run.curl).toEqual(post('/api/v1/events', event));
  expect(run.code).toContain('await server.client.events.track({');
});

test('the copies of an attempt deliver again, also to the receiver of a listener', async () => {
  const server = startWithContact();
  const url = 'http://10.0.0.1:3000/hooks?a=1&b=2';
  const { id } = await server.listeners.create({ url, events: ['message.received'] });
  const fault = { kind: 'status', status: 503 } as const;
  await server.faults.add({ delivery: 'message.received', subscriptionId: id, fault });
  await server.simulate.inboundMessage({ phone, body: "It's" });
  await server.settled();
  const [attempt] = await server.journal.find('attempt');
  const copies = await lastCopies(server, 'attempt');
  expect(copies.curl).toEqual([
    `curl -X POST ${origin}/control/deliveries/${attempt?.delivery.id}/redeliver`,
    key,
  ]);
  for (const text of [copies.code, copies.test]) {
    expect(text).toContain(`await server.contact('${phone}').says("It's");`);
  }
  expect(copies.test).toContain(`managedWebhooks: [{ url: '${url}', events: ['message.received'] }]`);
  expect(copies.test).toContain("receiverAddresses: 'any'");
});

test('the copies of faults are rules for the same operation or delivery, once', async () => {
  const receiver = await startReceiver(reply(204));
  const server = startWithContact();
  await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
  await server.faults.add({ delivery: 'any', fault: { kind: 'latency', duration: '1s' } });
  await server.simulate.inboundMessage({ phone, body: 'Hello' });
  await server.clock.advance('1s');
  const late = await lastCopies(server, 'fault');
  const rule = { delivery: 'message.received', fault: { kind: 'latency', duration: '1s' }, times: 1 };
  expect(late.curl).toEqual([`curl ${origin}/control/faults`, key, json, `-d '${JSON.stringify(rule)}'`]);
  expect(late.code).toContain(`await server.contact('${phone}').says('Hello');`);
  expect(late.test).toContain("fault: { kind: 'latency', duration: '1s' },");
  expect(late.test).toContain(`await server.contact('${phone}').says('Hello');`);
});

test.each(['nested', 'flat', 'text', 'empty'] as const)(
  'the test of a send that was refused for an earlier opt-out opts the contact out first, with the error body %s',
  async (errorBody) => {
    const earlier = startServer({
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      specGaps: { sendToOptedOut: 'refuse', errorBody },
    });
    await earlier.simulate.inboundMessage({ phone, body: 'STOP' });
    const server = createReferenceServer({ state: await earlier.state(), apiKey: earlier.apiKey });
    onTestFinished(() => server.close());
    await server.client.transactional.send({ phone, templateId: 'welcome', variables: {} }).catch(() => {});
    const { copies, entry } = await server.journal.inspect(1);
    expect(entry).toMatchObject({ type: 'request', status: 422 });
    expect(copies.test).toContain(`await server.contact('${phone}').says('STOP');`);
  },
);

test('the test of an opt-out whose message is gone repeats its keyword', async () => {
  const receiver = await startReceiver(reply(204));
  const server = startWithContact();
  await server.managedWebhooks.create({ url: receiver.url, events: ['contact.opted_out'] });
  await server.simulate.inboundMessage({ phone, body: 'STOP' });
  await server.settled();
  const [attempt] = await server.journal.find('attempt');
  if (attempt === undefined) throw new Error('The journal has no attempt.');
  const entry = { ...attempt, number: 1 };
  const { test: text } = copiesOf(
    entry,
    { journal: [entry], seed: {}, phones: new Map(), optedOut: new Set() },
    origin,
  );
  expect(text).toContain(`await server.contact('${phone}').says('STOP');`);
});
