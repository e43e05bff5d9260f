import { type ReferenceServerOptions, rejectedPhones } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { TransactionalRules } from '../../../src/server/service/transactional.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-store.js';
import { listed, workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { field, notFound, phone, refusal, startServer, startWithApi } from '../support/reference.js';

const [undeliverable = ''] = Object.keys(rejectedPhones);

function workspace(options: ReferenceServerOptions = {}) {
  const { server, ask } = startWithApi({
    contacts: [{ phone }, { phone: undeliverable }],
    templates: [
      { id: 'greeting', body: 'Hello {{1}}!' },
      { id: 'plain', body: 'Hello!' },
      { id: 'order', body: '{{1}}, your order {{2}} is on its way.' },
      { id: 'pending', body: 'Soon', status: 'pending' },
      { id: 'rejected', body: 'Never', status: 'rejected' },
      { id: 'paused', body: 'Later', status: 'paused' },
    ],
    ...options,
  });
  const send = (body: object) => ask('POST', '/v1/transactional', { phone, templateId: 'plain', ...body });
  return { server, send };
}

const sent = { status: 200, body: { success: true } };
const quotaExceeded = { status: 402, body: refusal('quota_exceeded') };

test('the order of the checks is body, contact, quota, template and variables, provider', async () => {
  const { server, send } = workspace({ quota: 1 });
  const stranger = '+442071838750';
  expect(await send({ phone: 'nobody', templateId: 'pending' })).toMatchObject({ status: 400 });
  expect(await send({ phone: stranger, templateId: 'pending' })).toMatchObject(notFound);
  expect(await send({ phone: undeliverable, templateId: 'pending' })).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('pending') } },
  });
  expect(await send({ phone: undeliverable })).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('provider') } },
  });
  expect(await send({})).toMatchObject(sent);

  expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 0 });
  expect(await send({ phone: stranger })).toMatchObject(notFound);
  expect(await send({ templateId: 'pending' })).toMatchObject(quotaExceeded);
  expect(await send({ phone: undeliverable })).toMatchObject(quotaExceeded);
});

test('a send to somebody who had opted out says so, in the journal and in a snapshot', async () => {
  const { server, send } = workspace();
  const other = '+442071838750';
  await server.client.contacts.upsert({ phone: other });
  await send({});
  await server.simulate.inboundMessage({ phone, body: 'STOP' });
  await send({});
  await send({ phone: other });
  await server.simulate.inboundMessage({ phone, body: 'START' });
  await send({});

  const marked = [undefined, true, undefined, undefined];
  expect((await server.journal.sends()).map(({ toOptedOut }) => toOptedOut)).toEqual(marked);
  const entries = await server.journal.find('send');
  expect(entries.map((entry) => entry.send.toOptedOut)).toEqual(marked);
  const restored = startServer();
  await restored.restore(await server.snapshot());
  expect((await restored.journal.sends()).map(({ toOptedOut }) => toOptedOut)).toEqual(marked);
});

describe('the template', () => {
  test.each([
    ...['pending', 'rejected', 'paused'].map((id) => [id, 'not approved'] as const),
    ...['unheard_of', '__proto__', 'constructor', 'Plain', 'plain '].map(
      (id) => [id, 'No template'] as const,
    ),
  ])('%s cannot be sent, since it is %s', async (templateId, words) => {
    const { status, body } = await workspace().send({ templateId });
    expect([status, body]).toEqual([422, refusal('send_failed')]);
    expect(JSON.stringify(body)).toContain(words);
  });

  test.each([
    ['none where there is one placeholder', 'greeting', undefined, '"1"'],
    ['an empty set', 'greeting', {}, '"1"'],
    ['an empty value', 'greeting', { 1: '' }, '"1"'],
    ['another name', 'greeting', { 2: 'Ada' }, '"1"'],
    ['one too many', 'greeting', { 1: 'Ada', 2: 'Byron' }, '"2"'],
    ['none where there are two placeholders', 'order', {}, '"1", "2"'],
    ['one where there is no placeholder', 'plain', { 1: 'Ada' }, '"1"'],
    ['a padded number', 'greeting', { 1: 'Ada', '01': 'Ada' }, '"01"'],
    ['names that objects have', 'greeting', { 1: 'Ada', constructor: 'x' }, '"constructor"'],
  ])('with bad variables cannot be sent: %s', async (_, templateId, variables, named) => {
    const { status, body } = await workspace().send({ templateId, variables });
    expect([status, body]).toEqual([422, refusal('send_failed')]);
    expect(String(field(field(body, 'error'), 'message'))).toContain(named);
  });

  test.each([
    ['Hello {{1}}, order {{2}}', { 1: 'Ada', 2: 'A-1' }, 'Hello Ada, order A-1'],
    ['{{2}} before {{1}}', { 1: 'a', 2: 'b' }, 'b before a'],
    ['{{1}}{{1}} {{1}}', { 1: 'x' }, 'xx x'],
    ['{{10}} is not {{1}}0', { 1: 'a', 10: 'b' }, 'b is not a0'],
    ['{{01}} is {{1}}', { 1: 'a' }, 'a is a'],
    ['{{ 1 }} {{x}} {1} {{-1}} {{}} {{{2}}}', { 2: 'b' }, '{{ 1 }} {{x}} {1} {{-1}} {{}} {b}'],
    ['{{1}}', { 1: '{{1}} $& $1 \\' }, '{{1}} $& $1 \\'],
    ['{{1}} and {{2}}', { 1: '{{2}}', 2: 'b' }, '{{2}} and b'],
    ['{{1}}', { 1: ' ' }, ' '],
    ['', undefined, ''],
  ])('is filled in: %s', async (body, variables, text) => {
    const { server, send } = workspace({ templates: [{ id: 'filled', body }] });
    expect(await send({ templateId: 'filled', variables })).toMatchObject(sent);
    const [record] = await server.journal.sends();
    expect(record).toMatchObject({ text, templateId: 'filled', phone, variables: variables ?? {} });
  });

  test('is listed with the numbers of its placeholders, in their order', async () => {
    const template = {
      id: 'a',
      body: '{{10}} {{2}} {{2}} {{01}}',
      name: 'A',
      language: 'de',
      status: 'paused',
    } as const;
    const server = startServer({ templates: [template, { id: 'b', body: 'none' }] });
    expect(await server.client.templates.list()).toEqual([
      { ...template, variables: ['1', '2', '10'] },
      { id: 'b', name: 'b', language: 'en', status: 'approved', body: 'none', variables: [] },
    ]);
  });
});

test('a provider that fails makes 422 send_failed, and the send spends nothing', async () => {
  const send = () => Promise.reject(new Error('ECONNRESET 10.0.0.1'));
  const workspace = new MemoryWorkspace(
    workspaceRecord({
      quota: 1,
      templates: [
        { id: 'welcome', name: 'W', language: 'en', status: 'approved', body: 'Hi', variables: [] },
      ],
    }),
  );
  await workspace.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  const transactional = new TransactionalRules(contextOf(workspace), send);
  await expect(transactional.send({ phone, templateId: 'welcome' })).rejects.toMatchObject({
    code: 'send_failed',
    message: expect.stringContaining('the provider call failed'),
  });
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 1 });
  expect(await listed(workspace.sends)).toEqual([]);
});

const phones = Object.keys(rejectedPhones);

describe('the phones that the simulated provider rejects', () => {
  test('are in the range that is reserved for fiction, each with its own reason', () => {
    expect(phones.length).toBeGreaterThanOrEqual(9);
    expect(phones.filter((each) => !/^\+1\d{3}55501\d\d$/.test(each))).toEqual([]);
    expect(new Set(Object.values(rejectedPhones)).size).toBe(phones.length);
  });

  test.each(Object.entries(rejectedPhones))('%s gives 422 send_failed: %s', async (rejected, reason) => {
    const { status, body } = await workspace({ contacts: [{ phone: rejected }] }).send({ phone: rejected });
    expect([status, body]).toEqual([422, refusal('send_failed')]);
    expect(JSON.stringify(body)).toContain(reason);
    expect(JSON.stringify(body)).not.toContain(rejected);
  });

  test('cannot be changed by an importer', () => {
    const before = { ...rejectedPhones };
    expect(() => Object.assign(rejectedPhones, { '+15551234567': 'no' })).toThrow(TypeError);
    expect(rejectedPhones).toEqual(before);
  });
});
