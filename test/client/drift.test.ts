import { type Drift, UnusableResponseError } from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { operationCases } from '../operations/cases.js';
import { stubProcess } from '../stub-process.js';
import { inTurn, reply } from './support/behaviours.js';
import { everyCall } from './support/calls.js';
import { apiKey, phone } from './support/samples.js';
import { type Call, failure, listTemplates, rejection, sendOne, startClient } from './support/service.js';

const html = '<!doctype html><title>An application</title>';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A client that collects drift, of a service that responds to everything alike. */
async function drifting(status: number, body?: unknown) {
  const drifts: Drift[] = [];
  const onDrift = (drift: Drift) => drifts.push(drift);
  return { drifts, ...(await startClient(reply(status, body), { onDrift })) };
}

const contact = { id: 'c1', properties: { phone, plan: null }, score: 7 };
const known = { id: 'c1', properties: {}, data: { id: 7 }, tags: ['new'] };
const subscription = { id: 'w1', url: 'https://a.b', events: ['message.read'], enabled: true, createdAt: 1 };

const get: Call = ({ contacts }) => contacts.get('c1');
const upsert: Call = ({ contacts }) => contacts.upsert({ phone });
const update: Call = ({ contacts }) => contacts.update('c1', { properties: {} });
const listWebhooks: Call = ({ webhooks }) => webhooks.list();
const subscribe: Call = ({ webhooks }) =>
  webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] });

const otherField = { queued: 'soon' };
const otherType = { success: 'yes' };
const named = { id: 't' };
const nameless = { name: 't' };
const idOfOtherType = { id: 7, properties: { phone } };

/** What a call gives for a successful response of an unexpected shape, and the fields that onDrift gets. */
const cases: readonly [string, Call, body: unknown, gives: unknown, drift: readonly string[]][] = [
  ['a send with an empty body', sendOne, '', {}, ['']],
  ['a send with JSON that is cut short', sendOne, '{"succ', {}, ['']],
  ['a send with another field', sendOne, otherField, otherField, ['success']],
  ['a send with another type', sendOne, otherType, otherType, ['success']],
  ['a record of another shape, in an envelope', get, { contact, took: 3 }, contact, ['properties.plan']],
  ['a record with fields that this package does not know', get, known, known, []],
  ['a record with an id of another type', upsert, idOfOtherType, idOfOtherType, ['id']],
  ['a record that need not be there, without its id', update, {}, undefined, ['id', 'properties']],
  ['a list under an unknown name', listTemplates, { items: [named], total: 1 }, [named], ['items']],
  ['members of another shape', listTemplates, { items: [nameless] }, [nameless], ['items', '[0].id']],
  ['a list with unknown event types', listWebhooks, [subscription], [subscription], []],
];

test.each(cases)('%s is given, told of, and never asked for again', async (_, call, body, gives, drift) => {
  const { drifts, messaging, requests } = await drifting(200, body);

  expect(await call(messaging)).toEqual(gives);
  expect(drifts.flatMap(({ problems }) => problems.map(({ field }) => field))).toEqual(drift);
  for (const { status, problems } of drifts) {
    expect(status).toBe(200);
    expect(problems[0]?.message).not.toBe('');
  }
  expect(requests).toHaveLength(1);
});

describe('an accepted send', () => {
  test.each([
    ['transactional.send', 200, { success: false }],
    ['events.track', 202, { accepted: false, reason: 'later' }],
  ] as const)('of %s that got %i and is denied by its body is reported', async (operation, status, body) => {
    const { drifts, messaging } = await drifting(status, body);
    const call = everyCall[operation];

    expect(await call?.(messaging)).toEqual(body);
    const problems = [{ field: Object.keys(body)[0], message: 'must be true, as the status says' }];
    expect(drifts).toEqual([{ operation, status, problems }]);
    const { error } = await failure(reply(status, body), call, { validation: 'strict' });
    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ operation, outcome: 'unknown', retryable: false });
  });

  test('is not believed from an HTML page, which the service does not write', async () => {
    const { error, requests } = await failure(reply(200, html));

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ status: 200, outcome: 'unknown', retryable: false });
    expect(String(error)).toContain('base URL');
    expect(requests).toHaveLength(1);
  });
});

describe('a record', () => {
  test('with a __proto__ of its own does no harm', async () => {
    const { messaging } = await drifting(200, '{"id":"c1","properties":{},"__proto__":{"polluted":true}}');
    const found: object = await messaging.contacts.get('c1');

    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  test.each([
    ['nothing', ''],
    ['a list', []],
    ['text', 'OK'],
    ['an object without an id', { properties: { phone } }],
    ['one whose id is null', { id: null, properties: { phone } }],
    ['an empty object', {}],
  ])('cannot be made of %s', async (_, body) => {
    const { messaging } = await drifting(201, body);
    const calls = [upsert, get, subscribe, ({ contacts }: typeof messaging) => contacts.find(phone)];

    for (const error of await Promise.all(calls.map((call) => rejection(call(messaging))))) {
      expect(error).toBeInstanceOf(UnusableResponseError);
      expect(error).toMatchObject({ status: 201, outcome: 'unknown', retryable: false, attempts: 1 });
      if (typeof body === 'object' && !Array.isArray(body)) expect(String(error)).toMatch(/ id (is|must)/);
    }
  });

  test('is read by its body, whatever its content type', async () => {
    const html = { 'content-type': 'text/html; charset=utf-8' };
    const behave = reply(201, JSON.stringify(known), html);

    expect(await upsert((await startClient(behave)).messaging)).toEqual(known);
  });

  test.each([
    ['cut short', '{"id":"c1","prop'],
    ['garbled', '{"id":"c1",,}'],
  ])('that is %s is asked for again', async (_, body) => {
    const { messaging, requests } = await startClient(inTurn(reply(200, body), reply(200, known)));

    expect(await get(messaging)).toEqual(known);
    expect(requests).toHaveLength(2);
  });

  test.each([
    [get, { attempts: 3, retryable: true }],
    [subscribe, { attempts: 1, retryable: false }],
  ])('that stays cut short is unusable', async (call, facts) => {
    const { error } = await failure(reply(200, '{"id":'), call);

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject(facts);
  });
});

test.each([
  ['two lists of unknown names', { items: [], others: [] }],
  ['text', 'OK'],
])('a list cannot be made of %s', async (_, body) => {
  expect((await failure(reply(200, body), listTemplates)).error).toBeInstanceOf(UnusableResponseError);
});

describe('validation', () => {
  test("'strict' fails with what differs", async () => {
    const { error } = await failure(reply(200, { id: 'c1' }), get, { validation: 'strict' });

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ problems: [{ field: 'properties' }], status: 200 });
  });

  test("'off' says nothing, and gives the same", async () => {
    const { messaging } = await startClient(reply(200, { id: 'c1' }), { validation: 'off' });

    expect(await get(messaging)).toEqual({ id: 'c1' });
  });

  test("'warn' warns on the console where there is no process", async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { messaging } = await startClient(reply(200, ''), { onDrift: undefined });
    stubProcess(undefined);
    await sendOne(messaging);

    expect(warn).toHaveBeenCalledOnce();
  });

  test("'warn' without onDrift warns the process once per operation, with no value in it", async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const behave = reply(200, { id: apiKey, wrong: phone });
    const { messaging } = await startClient(behave, { onDrift: undefined });
    for (const call of [get, get, upsert]) await call(messaging);

    expect(emitWarning.mock.calls.map(([message]) => String(message).split(' ')[0])).toEqual([
      'contacts.get',
      'contacts.upsert',
    ]);
    expect(String(emitWarning.mock.calls)).not.toMatch(/canary|2071838750/);
  });
});

test.for(operationCases)('%s is content with what the document shows', async ([name, { response: body }]) => {
  const behave = reply(body === undefined ? 204 : 200, body);
  const { messaging } = await startClient(behave, { validation: 'strict' });

  expect(await everyCall[name]?.(messaging)).toEqual(body);
});
