import { rejectedPhones } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import type { Provider } from '../../../src/server/service/provider.js';
import { Transactional } from '../../../src/server/service/transactional.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { askWith, phone, refusal, startServer } from '../support/reference.js';

const welcome = {
  id: 'welcome',
  name: 'W',
  language: 'en',
  status: 'approved',
  body: 'Hi',
  variables: [],
} as const;

/** A workspace that can pay for one send to its contact. */
async function withOneCredit() {
  const workspace = new MemoryWorkspace(workspaceRecord({ quota: 1, templates: [welcome] }));
  await workspace.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  return workspace;
}

test.each<[string, Provider['send'], string]>([
  [
    'rejects',
    async () => ({ accepted: false, reason: 'the number is not known' }),
    'the number is not known',
  ],
  ['fails', () => Promise.reject(new Error('ECONNRESET 10.0.0.1')), 'the provider call failed'],
])('a provider that %s makes 422 send_failed, and the send spends nothing', async (_, send, words) => {
  const workspace = await withOneCredit();
  const transactional = new Transactional(contextOf(workspace), { send });

  await expect(transactional.send({ phone, templateId: 'welcome' })).rejects.toMatchObject({
    code: 'send_failed',
    message: expect.stringContaining(words),
  });
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 1 });
  expect(await workspace.sends.list()).toEqual([]);
});

test('a credit that a send holds while the provider decides is not available to another send', async () => {
  const workspace = await withOneCredit();
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

const phones = Object.keys(rejectedPhones);

describe('the phones that the simulated provider rejects', () => {
  test('are in the range that is reserved for fiction, each with its own reason', () => {
    expect(phones.length).toBeGreaterThanOrEqual(9);
    expect(phones.filter((each) => !/^\+1\d{3}55501\d\d$/.test(each))).toEqual([]);
    expect(new Set(Object.values(rejectedPhones)).size).toBe(phones.length);
  });

  test.each(Object.entries(rejectedPhones))('%s gives 422 send_failed: %s', async (rejected, reason) => {
    const server = startServer({
      quota: 1,
      templates: [{ id: 'welcome', body: 'Hi' }],
      contacts: [{ phone: rejected }],
    });
    const send = { phone: rejected, templateId: 'welcome' };
    const { status, body } = await askWith(server)('POST', '/v1/transactional', send);
    expect([status, body]).toEqual([422, refusal('send_failed')]);
    expect(JSON.stringify(body)).toContain(reason);
    expect(JSON.stringify(body)).not.toContain(rejected);
    expect(await server.journal.quota()).toMatchObject({ quota: 1 });
    expect(await server.journal.sends()).toEqual([]);
  });

  test('cannot be changed by an importer', () => {
    const before = { ...rejectedPhones };
    expect(() => Object.assign(rejectedPhones, { '+15551234567': 'no' })).toThrow(TypeError);
    expect(rejectedPhones).toEqual(before);
  });
});
