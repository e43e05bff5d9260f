import { describe, expect, test } from 'vitest';
import { reply, startReceiver } from '../support/receiver.js';
import { askWith, field, phone, refusal, startServer } from '../support/reference.js';
import { control, startWithControl } from './support.js';

const entriesOf = (body: unknown) => {
  const data = field(body, 'data');
  return Array.isArray(data) ? data : [];
};

describe('GET /control/journal', () => {
  test('gives what happened, numbered, with bodies as text', async () => {
    const receiver = await startReceiver(reply(204));
    const server = startServer({ now: 0 });
    await server.client.contacts.upsert({ phone, properties: { firstName: 'Zoë' } });
    await server.managedWebhooks.create({ url: receiver.url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Grüße' });
    await server.settled();
    const { status, body } = await control(server)('GET', '/journal');
    expect(status).toBe(200);
    expect(entriesOf(body)).toMatchObject([
      {
        number: 1,
        type: 'request',
        at: 0,
        operation: 'contacts.upsert',
        status: 201,
        body: `{"phone":"${phone}","properties":{"firstName":"Zoë"}}`,
        responseBody: expect.stringContaining('"Zoë"'),
      },
      { number: 2, type: 'change', operation: 'managedWebhooks.create' },
      { number: 3, type: 'message', phone, body: 'Grüße' },
      { number: 4, type: 'attempt', delivery: { status: 'delivered' }, attempt: { number: 1, status: 204 } },
    ]);
    expect(entriesOf(body)[3].delivery.body).toBe(receiver.received[0]?.body.toString());
    expect(await server.journal.entries()).toHaveLength(4);
  });

  test('gives the headers of a request and of its response, without the key, in memory and from a socket', async () => {
    const server = startServer({ templates: [] });
    const listening = await server.listen();
    const secret = 'whsec_c2VjcmV0';
    const headers = { Authorization: `Bearer ${server.apiKey}`, 'X-Trace': `a ${secret} ${server.apiKey}` };
    await server.fetch(new Request('http://server.test/api/v1/templates', { headers }));
    await fetch(`${listening.url}/api/v1/templates`, { headers });
    const requests = entriesOf((await control(server)('GET', '/journal')).body);
    expect(requests).toHaveLength(2);
    for (const { headers, responseHeaders } of requests) {
      const named = headers.map(([name, value]: [string, string]) => [name.toLowerCase(), value]);
      expect(named).toContainEqual(['authorization', '***']);
      expect(named).toContainEqual(['x-trace', 'a whsec_*** ***']);
      expect(responseHeaders).toEqual([['Content-Type', 'application/json; charset=utf-8']]);
    }
    expect(JSON.stringify(requests)).not.toContain(server.apiKey);
  });

  test('says which request sent or tracked something, and finds both by it', async () => {
    const server = startServer({
      contacts: [{ phone }],
      templates: [{ id: 'hi', body: 'Hi' }],
      journeys: [{ id: 'greet', event: 'seen', steps: [{ send: 'hi' }] }],
    });
    const api = askWith(server);
    const sent = await api('POST', '/v1/transactional', { phone, templateId: 'hi' });
    const tracked = await api('POST', '/v1/events', { phone, event: 'seen' });
    await server.settled();
    const ask = control(server);
    const causedBy = async ({ headers }: typeof sent) => {
      const requestId = headers.get('X-Request-Id');
      const { body } = await ask('GET', `/journal?requestId=${requestId}`);
      return entriesOf(body).map((entry) => [entry.type, entry.requestId === requestId]);
    };
    const both = (type: string) => [
      [type, true],
      ['request', true],
    ];
    expect(await causedBy(sent)).toEqual(both('send'));
    expect(await causedBy(tracked)).toEqual(both('event'));
    const sends = await server.journal.find('send');
    expect(sends.map(({ send, requestId }) => [send.journeyRunId, requestId])).toEqual([
      [undefined, sent.headers.get('X-Request-Id')],
      [expect.any(String), undefined],
    ]);
  });

  test('can be read on from the last number, a few at a time, one type alone', async () => {
    const { server, ask } = startWithControl({ contacts: [{ phone }] });
    for (let i = 0; i < 5; i += 1) await server.client.contacts.find(phone);
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    const numbers = async (query: string) => {
      const { body } = await ask('GET', `/journal${query}`);
      return entriesOf(body).map(({ number }) => number);
    };
    expect(await numbers('')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await numbers('?limit=2')).toEqual([1, 2]);
    expect(await numbers('?since=2&limit=2')).toEqual([3, 4]);
    expect(await numbers('?since=6')).toEqual([]);
    expect(await numbers('?type=message')).toEqual([6]);
    expect(await numbers('?type=request&since=4')).toEqual([5]);
    expect(await numbers('?limit=0')).toEqual([]);
  });

  test('masks the secrets of subscriptions, in a response that was cut off too', async () => {
    const server = startServer({ specGaps: { secretInList: 'shown' } });
    const { secret } = await server.client.webhooks.create({
      url: 'https://example.com/hooks',
      events: ['message.received'],
    });
    await server.client.webhooks.list();
    await server.faults.add({ operation: 'webhooks.list', fault: { kind: 'malformed_json' } });
    await askWith(server)('GET', '/v1/webhooks').catch(() => {});
    const { body } = await control(server)('GET', '/journal');
    for (const entries of [body, await server.journal.entries()]) {
      expect(JSON.stringify(entries)).toContain('whsec_***');
      expect(JSON.stringify(entries)).not.toContain(secret.slice(0, 12));
    }
  });
});

test('the records of a workspace can be read: journey runs, segments and consent', async () => {
  const { server, ask } = startWithControl({
    segments: [{ id: 'seen', event: 'seen' }],
    journeys: [{ id: 'later', event: 'seen', steps: [{ wait: '1d' }] }],
  });
  await server.simulate.inboundMessage({ phone, body: 'STOP' });
  await server.client.events.track({ event: 'seen', phone, properties: { page: 'home' } });
  await server.settled();
  const contact = await server.client.contacts.find(phone);
  const read = async (path: string) => {
    const { status, body } = await ask('GET', path);
    return [status, body];
  };
  expect(await read('/journey-runs')).toMatchObject([
    200,
    { data: [{ journeyId: 'later', status: 'waiting' }] },
  ]);
  expect(await read('/segments/seen/members')).toEqual([200, { data: [contact?.id] }]);
  expect(await read('/segments/none/members')).toEqual([404, refusal('not_found')]);
  expect(await read('/consent?phone=%2B15551234567')).toEqual([200, { consent: 'opted_out' }]);
  expect(await read('/consent?phone=%2B15550000000')).toEqual([404, refusal('not_found')]);
  expect(await read('/consent')).toEqual([400, refusal('invalid_request', 'phone')]);
});
