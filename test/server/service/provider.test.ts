import { expect, test } from 'vitest';
import type { Provider } from '../../../src/server/service/provider.js';
import { Transactional } from '../../../src/server/service/transactional.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { phone } from '../support/reference.js';

const welcome = {
  id: 'welcome',
  name: 'W',
  language: 'en',
  status: 'approved',
  body: 'Hi',
  variables: [],
} as const;

test.each<[string, Provider['send'], string]>([
  [
    'rejects',
    async () => ({ accepted: false, reason: 'the number is not known' }),
    'the number is not known',
  ],
  ['fails', () => Promise.reject(new Error('ECONNRESET 10.0.0.1')), 'the provider call failed'],
])('a provider that %s makes 422 send_failed, and the send spends nothing', async (_, send, words) => {
  const workspace = new MemoryWorkspace(workspaceRecord({ quota: 1, templates: [welcome] }));
  await workspace.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  const transactional = new Transactional(contextOf(workspace), { send });

  await expect(transactional.send({ phone, templateId: 'welcome' })).rejects.toMatchObject({
    code: 'send_failed',
    message: expect.stringContaining(words),
  });
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 1 });
  expect(await workspace.sends.list()).toEqual([]);
});

test('a credit that a send holds while the provider decides is not to be had by another', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord({ quota: 1, templates: [welcome] }));
  await workspace.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  let decide = (_: { readonly accepted: true }) => {};
  const transactional = new Transactional(contextOf(workspace), {
    send: () => new Promise((resolve) => (decide = resolve)),
  });
  const input = { phone, templateId: 'welcome' };
  const first = transactional.send(input);
  await expect.poll(() => workspace.sends.readQuota()).toMatchObject({ quota: 0 });
  await expect(transactional.send(input)).rejects.toMatchObject({ code: 'quota_exceeded' });
  decide({ accepted: true });
  await expect(first).resolves.toEqual({ success: true });
});
