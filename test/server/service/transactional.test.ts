import { type ReferenceServerOptions, rejectedPhones } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { askWith, field, phone, refusal, startServer } from '../support/reference.js';

const [undeliverable = ''] = Object.keys(rejectedPhones);

function workspace(options: ReferenceServerOptions = {}) {
  const server = startServer({
    contacts: [{ phone }, ...Object.keys(rejectedPhones).map((rejected) => ({ phone: rejected }))],
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
  const ask = askWith(server);
  const send = (body: object) => ask('POST', '/v1/transactional', { phone, templateId: 'plain', ...body });
  return { server, send };
}

const sent = { status: 200, body: { success: true } };
const quotaExceeded = { status: 402, body: refusal('quota_exceeded') };
const notFound = { status: 404, body: refusal('not_found') };
const sendFailed = { status: 422, body: refusal('send_failed') };

describe('the order of the checks', () => {
  test('is body, contact, quota, template and variables, provider', async () => {
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

  test('spends nothing on a send that any of them rejects', async () => {
    const { server, send } = workspace({ quota: 1, addOnCredits: 1 });
    for (const body of [
      { phone: '+442071838750' },
      { templateId: 'unheard_of' },
      { templateId: 'paused' },
      { templateId: 'greeting' },
      ...Object.keys(rejectedPhones).map((rejected) => ({ phone: rejected })),
    ]) {
      await send(body);
    }
    expect(await server.journal.quota()).toEqual({ quota: 1, addOnCredits: 1 });
    expect(await server.journal.sends()).toEqual([]);
  });
});

describe('the quota', () => {
  test('goes first, then the add-on credits, then nothing', async () => {
    const { server, send } = workspace({ quota: 1, addOnCredits: 1 });
    expect(await send({})).toMatchObject(sent);
    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect(await send({ phone: undeliverable })).toMatchObject(sendFailed);
    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect(await send({})).toMatchObject(sent);
    expect(await send({})).toMatchObject(quotaExceeded);
    expect((await server.journal.sends()).map(({ paidBy }) => paidBy)).toEqual(['plan', 'add_on']);
  });

  test('of 3 and 2 credits lets exactly 5 of 100 concurrent sends through', async () => {
    const { server, send } = workspace({ quota: 3, addOnCredits: 2 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => send({})));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(95);
    expect(await server.journal.sends()).toHaveLength(5);
    expect(await server.journal.quota()).toEqual({ quota: 0, addOnCredits: 0 });
  });

  test('survives rejected sends among the concurrent ones', async () => {
    const { server, send } = workspace({ quota: 100 });
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => send(i % 2 === 0 ? {} : { phone: undeliverable })),
    );
    expect(await server.journal.quota()).toEqual({ quota: 50, addOnCredits: 0 });
  });

  test('of nothing refuses the first send', async () => {
    expect(await workspace({ quota: 0 }).send({})).toMatchObject(quotaExceeded);
  });
});

describe('the template', () => {
  test.each(['pending', 'rejected', 'paused'])('that is %s cannot be sent', async (templateId) => {
    const { status, body } = await workspace().send({ templateId });
    expect([status, body]).toEqual([422, refusal('send_failed')]);
    expect(JSON.stringify(body)).toContain('not approved');
  });

  test.each(['unheard_of', '__proto__', 'constructor', 'Plain', 'plain '])(
    'that nobody knows cannot be sent: %s',
    async (templateId) => {
      expect(await workspace().send({ templateId })).toMatchObject(sendFailed);
    },
  );

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
    const server = startServer({
      templates: [
        { id: 'a', body: '{{10}} {{2}} {{2}} {{01}}', name: 'A', language: 'de', status: 'paused' },
        { id: 'b', body: 'none' },
      ],
    });
    expect((await askWith(server)('GET', '/v1/templates')).body).toEqual({
      data: [
        {
          id: 'a',
          name: 'A',
          language: 'de',
          status: 'paused',
          body: '{{10}} {{2}} {{2}} {{01}}',
          variables: ['1', '2', '10'],
        },
        { id: 'b', name: 'b', language: 'en', status: 'approved', body: 'none', variables: [] },
      ],
    });
  });
});

test('a send is kept in the journal, in the order of the sends', async () => {
  const { server, send } = workspace();
  await send({});
  await server.clock.advance('1s');
  await send({ templateId: 'greeting', variables: { 1: 'Ada' } });
  const sends = await server.journal.sends();
  expect(sends.map(({ text }) => text)).toEqual(['Hello!', 'Hello Ada!']);
  expect((await server.journal.find('send')).map((entry) => entry.send)).toEqual(sends);
  expect(sends.map(({ sentAt }) => server.clock.now() - sentAt)).toEqual([1_000, 0]);
  expect(sends.every(({ id, contactId }) => id.startsWith('send_') && contactId.startsWith('contact_'))).toBe(
    true,
  );
});
