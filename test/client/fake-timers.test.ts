import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reply } from './support/behaviours.js';
import { apiKey } from './support/samples.js';
import { startService } from './support/service.js';

beforeEach(() => vi.resetModules()); // so that the first call loads what it needs
afterEach(() => {
  vi.useRealTimers();
  vi.resetModules();
});

test('the first call reaches the service though timers were replaced before it', async () => {
  const { baseUrl, requests } = await startService(reply(200, []));
  const { MessagingAutomation } = await import('messaging-automation');
  vi.useFakeTimers();

  expect(await new MessagingAutomation({ apiKey, baseUrl }).templates.list()).toEqual([]);
  expect(requests).toHaveLength(1);
});

test('a call waits for its next attempt until the test lets the time pass', async () => {
  const responses = [new Response(null, { status: 503 }), Response.json([])];
  const fetch = vi.fn(async () => responses.shift() ?? Response.error());
  const { MessagingAutomation } = await import('messaging-automation');
  vi.useFakeTimers();
  const listed = new MessagingAutomation({ apiKey, baseUrl: 'https://a.test/api', fetch }).templates.list();

  await vi.waitUntil(() => vi.getTimerCount() === 2); // the deadline, and the wait
  expect(fetch).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(500);
  expect(await listed).toEqual([]);
});
