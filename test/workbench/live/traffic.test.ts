import { effect } from '@preact/signals';
import { createReferenceServer } from 'messaging-automation/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followWorkspace } from '../../../src/workbench/live/workspace.js';
import { Surface } from '../../../src/workbench/surface/surface.js';
import { respondToRequests } from '../requests.js';

const phoneOf = (number: number) => `+1555${String(1_000_000 + number)}`;

/** Follows a busy server in a time of the test. `bytes` has what the page got, by path, without the stream. */
function followBusy() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const server = createReferenceServer({
    apiKey: 'test_key',
    contacts: Array.from({ length: 2_000 }, (_, number) => ({ phone: phoneOf(number) })),
    templates: [{ id: 'hello', body: 'Hello' }],
  });
  const bytes = new Map<string, number[]>();
  respondToRequests(async (request) => {
    const response = await server.fetch(request);
    const { pathname } = new URL(request.url);
    if (pathname === '/control/stream') return response;
    const text = await response.text();
    bytes.set(pathname, [...(bytes.get(pathname) ?? []), text.length]);
    return new Response(text, response);
  });
  const live = followWorkspace(new Surface('test_key'));
  const hide = effect(() => {
    for (const { value } of [live.people, live.clock, live.quota, live.templates, live.segments]) void value;
    for (const { value } of [live.faults, live.specGaps, live.subscriptions, live.pending]) void value;
  });
  onTestFinished(async () => {
    hide();
    live.stop();
    vi.useRealTimers();
    await server.close();
  });
  const pass = async (length: number) => {
    for (let turn = 0; turn < 5; turn += 1) await vi.advanceTimersByTimeAsync(0);
    await vi.advanceTimersByTimeAsync(length);
  };
  return { server, live, bytes, pass };
}

test('at 50 entries a second the page asks for less than 100 kB a second, and for no list that did not change', async () => {
  const { server, live, bytes, pass } = followBusy();
  for (let number = 0; number < 200; number += 1) {
    const url = `http://127.0.0.1:9/${number}`;
    await server.client.webhooks.create({ url, events: ['contact.opted_in'] });
  }
  while (live.journal.entries.length < 200) await pass(100);
  for (let second = 0; second < 20; second += 1) await pass(1_000);
  bytes.clear();
  for (let entry = 0; entry < 500; entry += 1) {
    await server.simulate.inboundMessage({ phone: phoneOf(entry), body: 'hello' });
    await pass(20);
  }
  await pass(20_000);
  expect(live.journal.entries.length).toBeGreaterThanOrEqual(700);
  const all = [...bytes.values()].flat();
  expect(all.reduce((sum, length) => sum + length, 0)).toBeLessThan(10 * 100_000);
  expect(bytes.get('/control/contacts')?.length).toBeLessThanOrEqual(5);
  for (const list of ['templates', 'subscriptions', 'faults', 'quota', 'spec-gaps'])
    expect(bytes.get(`/control/${list}`), list).toBeUndefined();
});

test('a change made elsewhere is shown, and a hidden page asks for nothing until it is seen', async () => {
  const { server, live, bytes, pass } = followBusy();
  await pass(1_000);
  await pass(1_000);
  await server.quota.set({ quota: 7 });
  await server.templates.put({ id: 'second', body: 'Hello again' });
  await pass(1_000);
  await pass(0);
  expect(live.quota.value?.quota).toBe(7);
  expect(live.templates.value).toHaveLength(2);

  const tab = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  vi.stubGlobal('document', tab);
  bytes.clear();
  await server.quota.set({ quota: 8 });
  await pass(10_000);
  expect([...bytes.keys()]).toEqual([]);
  tab.visibilityState = 'visible';
  tab.dispatchEvent(new Event('visibilitychange'));
  await pass(0);
  expect(live.quota.value?.quota).toBe(8);
});

test('a page whose key is revoked asks for nothing more', async () => {
  const { server, live, bytes, pass } = followBusy();
  for (let second = 0; second < 5; second += 1) await pass(1_000);
  bytes.clear();
  await server.keys.revoke('test_key');
  for (let second = 0; second < 5; second += 1) await pass(1_000);
  expect(live.connection.value.kind).toBe('refused');
  expect([...bytes.keys()]).toEqual([]);
});
