import { checkConformance } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { belongingsOf, furnished, reportOn, testEnds } from './matrices.js';
import { sendPhone } from './support/deployment.js';
import type { Fault } from './support/proxy.js';

test('what was there is left as it was, also the contact to send to, and one message is sent', async () => {
  await using deployment = await furnished();
  const { client, journal } = deployment.server;
  await client.contacts.upsert({ phone: sendPhone, properties: { vip: true } });
  const before = await belongingsOf(deployment);
  await checkConformance(deployment.options);

  expect(await belongingsOf(deployment)).toEqual(before);
  const sends = await journal.sends();
  expect(sends.map(({ phone, templateId, text }) => [phone, templateId, text])).toEqual([
    [sendPhone, 'order_update', 'Hello Ada, your order A-1001 is on its way.'],
  ]);
});

test('nothing is sent without options that name what and to whom', async () => {
  await using deployment = await furnished();
  const { baseUrl, apiKey } = deployment.options;
  await checkConformance({ baseUrl, apiKey });

  expect(await deployment.server.journal.sends()).toEqual([]);
});

test.each<[string, (drawn: number) => string]>([
  ['and another is drawn', (drawn) => (drawn === 0 ? '+442071838750' : `+12125550${100 + drawn}`)],
  ['and drawing ends where every phone is of somebody', () => '+442071838750'],
])('a phone that somebody has is not touched, %s', async (_, phoneOf) => {
  await using deployment = await furnished();
  const { contacts: before } = await belongingsOf(deployment);
  let drawn = 0;
  const newPhone = () => phoneOf(drawn++);
  const { totals } = await checkConformance({ ...deployment.options, newPhone });

  expect(totals.broken).toBe(0);
  expect((await belongingsOf(deployment)).contacts).toEqual(before);
});

test('a contact that the lookup did not show is left where it is', async () => {
  await using deployment = await furnished();
  const { contacts: before } = await belongingsOf(deployment);
  const api: Fault['api'] = async (request, service) => {
    const response = await service.ask(request);
    return request.path === '/v1/contacts/find' ? { ...response, status: 404 } : response;
  };
  await reportOn(deployment, { api }, { newPhone: () => '+442071838750', send: undefined });

  const { contacts } = await belongingsOf(deployment);
  expect(contacts.map(({ id, phone }) => [id, phone])).toEqual(before.map(({ id, phone }) => [id, phone]));
});

test('neither events nor subscriptions are made where that is turned off', async () => {
  await using deployment = await furnished();
  const { baseUrl, apiKey } = deployment.options;
  const asked: string[] = [];
  const { totals } = await checkConformance({
    baseUrl,
    apiKey,
    events: false,
    webhooks: false,
    fetch: (input, init) => {
      asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
      return fetch(input, init);
    },
  });

  expect(totals.broken).toBe(0);
  expect(asked.filter((request) => /^(POST|DELETE) .*\/(events|webhooks)/.test(request))).toEqual([]);
});

test('events have a name that nobody uses, and are for contacts of its own', async () => {
  await using deployment = await furnished();
  const { baseUrl, apiKey } = deployment.options;
  const bodies: string[] = [];
  await checkConformance({
    baseUrl,
    apiKey,
    fetch: (input, init) => {
      if (String(input).endsWith('/v1/events')) bodies.push(String(init?.body));
      return fetch(input, init);
    },
  });

  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) expect(JSON.parse(body)).toMatchObject({ event: 'conformance_check' });
});

testEnds([13, 57]);

test('when a listener of checks throws, what was made is removed first', async () => {
  await using deployment = await furnished();
  const before = await belongingsOf(deployment);
  const onCheck = () => {
    throw new Error('from the listener');
  };

  await expect(checkConformance({ ...deployment.options, onCheck })).rejects.toThrow('from the listener');
  expect(await belongingsOf(deployment)).toEqual(before);
});

test('what cannot be removed is named', async () => {
  await using deployment = await furnished();
  const api: Fault['api'] = async (request, service) =>
    request.method === 'DELETE' ? { status: 503, headers: {}, body: '' } : service.ask(request);
  const { leftBehind } = await reportOn(deployment, { api }, { deliveries: undefined });
  const { contacts, subscriptions } = await belongingsOf(deployment);

  for (const { id } of contacts.slice(1)) expect(leftBehind).toContain(`the contact ${id}`);
  for (const { id } of subscriptions.slice(1)) expect(leftBehind).toContain(`the subscription ${id}`);
  expect(contacts.length + subscriptions.length).toBeGreaterThan(4);
});

test('what a deployment lets in without a key, into whatever workspace, is taken back', async () => {
  await using deployment = await furnished();
  const elsewhere = deployment.server.workspace();
  const api: Fault['api'] = (request, service) => {
    const authorization = request.headers.authorization ?? `Bearer ${elsewhere.apiKey}`;
    return service.ask({ ...request, headers: { ...request.headers, authorization } });
  };
  const { totals } = await reportOn(deployment, { api });
  const { contacts, subscriptions } = await elsewhere.snapshot();

  expect(totals.broken).toBe(1);
  expect([contacts, subscriptions]).toEqual([[], []]);
});

test('a subscription that was there is not removed, even where the first list does not show it', async () => {
  await using deployment = await furnished();
  const webhookUrl = 'https://example.com/hooks';
  const before = await belongingsOf(deployment);
  let isFirstList = true;
  const api: Fault['api'] = async (request, service) => {
    if (request.path !== '/v1/webhooks') return service.ask(request);
    const isFirst = isFirstList && request.method === 'GET';
    if (isFirst) isFirstList = false;
    return isFirst || request.method === 'POST'
      ? { status: 503, headers: {}, body: '' }
      : service.ask(request);
  };
  const { leftBehind } = await reportOn(deployment, { api }, { webhookUrl, deliveries: undefined });

  expect(leftBehind).toEqual([
    `perhaps a subscription to ${webhookUrl}`,
    `perhaps a subscription to ${webhookUrl}?b=%C3%85%20B&a=1`,
    'perhaps a subscription without a url',
  ]);
  expect((await belongingsOf(deployment)).subscriptions).toEqual(before.subscriptions);
});
