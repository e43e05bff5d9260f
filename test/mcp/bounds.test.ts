import { expect, test } from 'vitest';
import { largestResponse } from '../../src/mcp/readable.js';
import { serveRequests } from '../cli/http-servers.js';
import { serve } from '../cli/served.js';
import { reply, startReceiver } from '../server/support/receiver.js';
import { startAgent } from './agent.js';

const phone = '+15551234567';
const body = `${'A long message, größer als kurz. '.repeat(100)}The end.`;

/** A workspace with a webhook and long messages, and an agent in it. */
async function startWithMessages(count: number) {
  const { url, ask } = await serve();
  const receiver = await startReceiver(reply(200));
  await ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
  for (let number = 0; number < count; number += 1) await ask('/control/inbound-messages', { phone, body });
  await ask('/control/settled', {});
  const agent = await startAgent(url);
  const bounded: typeof agent.call = async (name, input) => {
    const result = await agent.call(name, input);
    expect(result.text.length, name).toBeLessThanOrEqual(largestResponse);
    return result;
  };
  return { url, ask, receiver, call: bounded };
}

test('an agent that continues with `since` reads each entry once, however little fits into a response', async () => {
  const { call } = await startWithMessages(60);
  const read: number[] = [];
  let more: unknown = true;
  for (let calls = 0; more === true && calls < 20; calls += 1) {
    const { content } = await call('read_journal', { type: 'message', since: read.at(-1) ?? 0, limit: 100 });
    read.push(...numbersIn(content.entries));
    ({ more } = content);
  }
  const { content, text } = await call('read_journal', { type: 'message', limit: 100 });
  expect(text).toContain('more characters');
  const latest = numbersIn(content.entries);
  expect(read).toHaveLength(60);
  expect(new Set(read).size).toBe(60);
  expect(read).toEqual(read.toSorted((one, other) => one - other));
  expect(latest).toEqual(read.slice(-latest.length));
  expect(content.older).toBe(60 - latest.length);
});

test('list_deliveries counts those that do not fit, and the bytes of each body', async () => {
  const { call, receiver } = await startWithMessages(20);
  const { content } = await call('list_deliveries', { limit: 50 });
  const deliveries = Array.isArray(content.deliveries) ? content.deliveries : [];
  expect(deliveries.length).toBeLessThan(20);
  expect(Number(content.older) + deliveries.length).toBe(20);
  const { content: fewer } = await call('list_deliveries', { limit: 2 });
  expect(fewer).toMatchObject({ deliveries: [{}, {}], older: 18 });
  expect(deliveries.at(-1)?.bytes).toBe(receiver.received[0]?.body.length);
});

test('the latest of several pages are shown, and all before them are counted', async () => {
  const { ask } = await startWithMessages(1);
  const { data } = await (await ask('/control/journal?type=message')).json();
  const [entry] = data;
  const asked: (string | undefined)[] = [];
  const url = await serveRequests((request, response) => {
    const page = asked.push(request.url);
    const copies = Array.from({ length: 10 }, (_, index) => ({ ...entry, number: page * 10 + index }));
    response.end(JSON.stringify({ data: copies, more: page < 3, cursor: `page_${page + 1}`, forgotten: 0 }));
  });
  const { call } = await startAgent(url);
  const { content } = await call('read_journal', { type: 'message', limit: 12 });
  expect(numbersIn(content.entries)).toEqual([28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
  expect(content.older).toBe(18);
  expect(asked).toEqual([
    '/control/journal?type=message&limit=1000',
    '/control/journal?type=message&limit=1000&cursor=page_2',
    '/control/journal?type=message&limit=1000&cursor=page_3',
  ]);
});

test('a request and a list of templates are shortened if they are too large for a response', async () => {
  const { ask, call } = await startWithMessages(0);
  await ask('/api/v1/contacts', { phone, properties: { note: 'x'.repeat(30_000) } });
  for (let number = 0; number < 60; number += 1) {
    const template = { id: `template_${number}`, body: 'y'.repeat(1_000) };
    await ask('/control/templates', template, { method: 'PUT' });
  }
  expect((await call('inspect_entry', { number: 2 })).text).toContain('more characters');
  await ask('/api/v1/contacts', { phone, properties: { note: 'x'.repeat(3_500) } });
  const { content } = await call('read_journal', { type: 'request' });
  const number = numbersIn(content.entries).at(-1);
  expect((await call('inspect_entry', { number })).text).not.toContain('more characters');
  const status = await call('workspace_status');
  expect(status.content).toMatchObject({
    shortened: expect.stringContaining('items of lists were left out'),
  });
});

test('properties that are too long are shown as the start of their JSON, with masked phones', async () => {
  const { ask, call } = await startWithMessages(0);
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`property_${index}`, index]));
  await ask('/api/v1/contacts', { phone });
  const properties = { phone: 15_557_654_321, phones: ['15557654321'], phoneAtHome: '15557654321', ...many };
  await ask('/api/v1/events', { phone, event: 'order_placed', properties });
  await ask('/api/v1/events', { phone, event: 'order_placed', properties });
  const { content, text } = await call('wait_for', { what: 'event', event: 'order_placed' });
  const shown = expect.stringMatching(/^\{"phone":.*"property_9":9,.* \(\d+ more characters\)$/);
  expect(content).toMatchObject({ found: true, items: [{ properties: shown }, {}] });
  expect(text).not.toContain('5557654321');
});

test('instants are shown in ISO 8601, and the fields of users as they are', async () => {
  const { ask, call } = await startWithMessages(0);
  const properties = { createdAt: 1_767_225_600_000, nested: { at: 1_767_225_600_000 }, url: 'a?b' };
  await ask('/api/v1/contacts', { phone });
  await ask('/api/v1/events', { phone, event: 'order_placed', properties });
  const { content } = await call('wait_for', { what: 'event', event: 'order_placed' });
  expect(content).toMatchObject({ items: [{ properties }] });
  expect(Object.values(Object(Array.isArray(content.items) && content.items[0]))).toContainEqual(
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  );
});

/** The numbers of the entries in a response. */
function numbersIn(entries: unknown): number[] {
  return Array.isArray(entries) ? entries.map(({ number }) => Number(number)) : [];
}
