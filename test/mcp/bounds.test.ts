import { expect, test } from 'vitest';
import { largestAnswer } from '../../src/mcp/readable.js';
import { serve } from '../cli/served.js';
import { answer, startReceiver } from '../server/support/receiver.js';
import { startAgent } from './agent.js';

const phone = '+15551234567';

test('answers stay short with a journal of thousands of entries', async () => {
  const { url, ask } = await serve();
  const receiver = await startReceiver(answer(200));
  await ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
  const body = `${'A long message. '.repeat(100)}The end.`;
  for (let batch = 0; batch < 11; batch += 1) {
    const messages = Array.from({ length: 100 }, () => ask('/control/inbound-messages', { phone, body }));
    await Promise.all(messages);
  }
  await ask('/control/settled', {});
  const { call } = await startAgent(url);

  const journal = await call('read_journal', { limit: 100 });
  expect(journal.isError).toBe(false);
  expect(journal.text.length).toBeLessThanOrEqual(largestAnswer);
  expect(journal.content.older).toBeGreaterThan(2_000);

  const messages = await call('read_journal', { type: 'message', limit: 100 });
  expect(messages.text.length).toBeLessThanOrEqual(largestAnswer);
  expect(messages.text).toContain('more characters');

  const deliveries = await call('list_deliveries', { limit: 50 });
  expect(deliveries.text.length).toBeLessThanOrEqual(largestAnswer);
  expect(deliveries.content.older).toBeGreaterThan(1_000);

  const waited = await call('wait_for', { what: 'delivery' });
  expect(waited.text.length).toBeLessThanOrEqual(largestAnswer);

  const guides = await call('search_guides', { query: 'the server', limit: 6 });
  expect(guides.text.length).toBeLessThanOrEqual(largestAnswer);
});

test('a large request and a long list of templates are shortened', async () => {
  const { url, ask } = await serve();
  await ask('/api/v1/contacts', { phone, properties: { note: 'x'.repeat(30_000) } });
  for (let number = 0; number < 60; number += 1) {
    await fetch(`${url}/control/templates`, {
      method: 'PUT',
      headers: { Authorization: 'Bearer test_key', 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: `template_${number}`, body: 'y'.repeat(1_000) }),
    });
  }
  const { call } = await startAgent(url);
  const entry = await call('inspect_entry', { number: 1 });
  expect(entry.text.length).toBeLessThanOrEqual(largestAnswer);
  expect(entry.text).toContain('more characters');
  const status = await call('workspace_status');
  expect(status.text.length).toBeLessThanOrEqual(largestAnswer);
  expect(status.content).toMatchObject({
    shortened: expect.stringContaining('items of lists were left out'),
  });
});
