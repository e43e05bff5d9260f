import { type Drift, type MessagingAutomation, UnusableResponseError } from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { operationCases } from '../operations/cases.js';
import { answer, inTurn } from './support/behaviours.js';
import { everyCall } from './support/calls.js';
import { eagerClock } from './support/clocks.js';
import { apiKey, phone, send } from './support/samples.js';
import { clientOf, rejection, startService } from './support/service.js';

const html = '<!doctype html><title>An application</title>';

afterEach(() => vi.restoreAllMocks());

/** A client that collects drift, of a service that answers everything alike. */
async function drifting(status: number, body?: unknown) {
  const drifts: Drift[] = [];
  const service = await startService(answer(status, body));
  return { drifts, messaging: clientOf(service, { onDrift: (drift) => drifts.push(drift) }), service };
}

const contact = { id: 'c1', properties: { phone, plan: null }, score: 7 };
const known = { id: 'c1', properties: {}, data: { id: 7 }, tags: ['new'] };
const subscription = { id: 'w1', url: 'https://a.b', events: ['message.read'], enabled: true, createdAt: 1 };
const subscribe = { url: 'https://example.com/hooks', events: ['message.received'] } as const;

const sent = ({ transactional }: MessagingAutomation) => transactional.send(send);
const get = ({ contacts }: MessagingAutomation) => contacts.get('c1');
const upsert = ({ contacts }: MessagingAutomation) => contacts.upsert({ phone });
const update = ({ contacts }: MessagingAutomation) => contacts.update('c1', { properties: {} });
const listTemplates = ({ templates }: MessagingAutomation) => templates.list();
const listWebhooks = ({ webhooks }: MessagingAutomation) => webhooks.list();

const success = { success: true };
const otherField = { queued: 'soon' };
const otherType = { success: 'yes' };
const idOfOtherType = { id: 7, properties: { phone } };

type Call = (messaging: MessagingAutomation) => Promise<unknown>;

/** What a call gives for a successful response of an unexpected shape, and the fields that onDrift is told of. */
const cases: readonly [string, Call, body: unknown, gives: unknown, drift: readonly string[]][] = [
  ['a send with an empty body', sent, '', success, ['']],
  ['a send with text', sent, 'OK', success, ['']],
  ['a send with a list', sent, [], success, ['']],
  ['a send with JSON that is cut short', sent, '{"succ', success, ['']],
  ['a send with another field', sent, otherField, { ...success, ...otherField }, ['success']],
  ['a send with another type', sent, otherType, otherType, ['success']],
  ['a record of another shape, in an envelope', get, { contact, took: 3 }, contact, ['properties.plan']],
  ['a record with fields that this package does not know', get, known, known, []],
  ['a record with an id of another type', upsert, idOfOtherType, idOfOtherType, ['id']],
  ['a record that need not be there, as text', update, 'OK', undefined, []],
  ['a record that need not be there, without its id', update, {}, undefined, ['id', 'properties']],
  [
    'a list under an unknown name',
    listTemplates,
    { items: [{ id: 't' }], total: 1 },
    [{ id: 't' }],
    ['items'],
  ],
  [
    'members of another shape',
    listTemplates,
    { items: [{ name: 't' }] },
    [{ name: 't' }],
    ['items', '[0].id'],
  ],
  ['a list with unknown event types', listWebhooks, [subscription], [subscription], []],
];

test.each(cases)('%s is given, told of, and never asked for again', async (_, call, body, gives, drift) => {
  const { drifts, messaging, service } = await drifting(200, body);

  expect(await call(messaging)).toEqual(gives);
  expect(drifts.flatMap(({ problems }) => problems.map(({ field }) => field))).toEqual(drift);
  for (const { status, problems } of drifts) {
    expect(status).toBe(200);
    expect(problems[0]?.message).not.toBe('');
  }
  expect(service.requests).toHaveLength(1);
});

describe('an accepted send', () => {
  test.each([
    ['transactional.send', 200, { success: false }],
    ['events.track', 202, { accepted: false, reason: 'later' }],
  ] as const)(
    'of %s that is answered %i and denied by its body is told of',
    async (operation, status, body) => {
      const call = everyCall[operation];
      const { drifts, messaging, service } = await drifting(status, body);
      const field = Object.keys(body)[0];

      expect(await call?.(messaging)).toEqual(body);
      expect(drifts).toEqual([
        { operation, status, problems: [{ field, message: 'must be true, as the status says' }] },
      ]);
      const strict = await rejection(Promise.resolve(call?.(clientOf(service, { validation: 'strict' }))));
      expect(strict).toBeInstanceOf(UnusableResponseError);
      expect(strict).toMatchObject({ operation, outcome: 'unknown', retryable: false });
    },
  );

  test('resolves, and so does an accepted event, even if onDrift throws', async () => {
    const service = await startService(answer(202, ''));
    const onDrift = () => {
      throw new Error('a fault of the observer');
    };
    const messaging = clientOf(service, { onDrift });

    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    expect(await messaging.events.track({ event: 'e', phone })).toEqual({ accepted: true });
  });

  test('is not believed from an HTML page, which the service does not write', async () => {
    const { drifts, messaging, service } = await drifting(200, html);
    const error = await rejection(messaging.transactional.send(send));

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ status: 200, outcome: 'unknown', retryable: false });
    expect(String(error)).toContain('base URL');
    expect(service.requests).toHaveLength(1);
    expect(drifts).toEqual([]);
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
    ['a page', html],
    ['an object without an id', { properties: { phone } }],
    ['one whose id is null', { id: null, properties: { phone } }],
    ['one in an envelope', { contact: { properties: { phone } } }],
    ['an empty object', {}],
  ])('cannot be made of %s', async (_, body) => {
    const { messaging } = await drifting(201, body);
    const calls = [
      messaging.contacts.upsert({ phone }),
      messaging.contacts.find(phone),
      messaging.contacts.get('c1'),
      messaging.webhooks.create(subscribe),
    ];

    for (const error of await Promise.all(calls.map(rejection))) {
      expect(error).toBeInstanceOf(UnusableResponseError);
      expect(error).toMatchObject({ status: 201, outcome: 'unknown', retryable: false, attempts: 1 });
      if (typeof body === 'object' && !Array.isArray(body)) expect(String(error)).toMatch(/ id (is|must)/);
    }
  });

  test('is read by its body, whatever its content type', async () => {
    const service = await startService(
      answer(201, JSON.stringify(contact), { 'content-type': 'text/html; charset=utf-8' }),
    );

    expect(await clientOf(service, { onDrift: () => {} }).contacts.upsert({ phone })).toEqual(contact);
  });

  test.each([
    ['cut short', '{"id":"c1","prop'],
    ['garbled', '{"id":"c1",,}'],
    ['a list that is cut short', '[{"id":'],
  ])('that is %s is asked for again', async (_, body) => {
    const service = await startService(inTurn(answer(200, body), answer(200, contact)));
    const messaging = clientOf(service, { clock: eagerClock(), onDrift: () => {} });

    expect(await messaging.contacts.get('c1')).toEqual(contact);
    expect(service.requests).toHaveLength(2);
  });

  test('that stays cut short is unusable', async () => {
    const service = await startService(answer(200, '{"id":'));
    const messaging = clientOf(service, { clock: eagerClock() });
    const error = await rejection(messaging.contacts.get('c1'));

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ attempts: 3, retryable: true });
    expect(await rejection(messaging.webhooks.create(subscribe))).toMatchObject({
      attempts: 1,
      retryable: false,
    });
  });
});

test.each([
  ['two lists of unknown names', { items: [], others: [] }],
  ['no list', { total: 0 }],
  ['text', 'OK'],
])('a list cannot be made of %s', async (_, body) => {
  const { messaging } = await drifting(200, body);
  expect(await rejection(messaging.templates.list())).toBeInstanceOf(UnusableResponseError);
});

describe('validation', () => {
  test("'strict' fails with what differs", async () => {
    const service = await startService(answer(200, { id: 'c1' }));
    const error = await rejection(clientOf(service, { validation: 'strict' }).contacts.get('c1'));

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ problems: [{ field: 'properties' }], status: 200 });
  });

  test("'off' says nothing, and gives the same", async () => {
    const service = await startService(answer(200, { id: 'c1' }));

    expect(await clientOf(service, { validation: 'off' }).contacts.get('c1')).toEqual({ id: 'c1' });
  });

  test("'warn' without onDrift warns the process once per operation, with no value in it", async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { baseUrl } = await startService(answer(200, { id: apiKey, wrong: phone }));
    const messaging = clientOf({ baseUrl }, { onDrift: undefined });
    await messaging.contacts.get('c1');
    await messaging.contacts.get('c2');
    await messaging.contacts.upsert({ phone });

    expect(emitWarning.mock.calls.map(([message]) => String(message).split(' ')[0])).toEqual([
      'contacts.get',
      'contacts.upsert',
    ]);
    expect(String(emitWarning.mock.calls)).not.toMatch(/canary|2071838750/);
  });

  test("'warn' warns on the console where there is no process", async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { baseUrl } = await startService(answer(200, ''));
    const messaging = clientOf({ baseUrl }, { onDrift: undefined });
    vi.stubGlobal('process', undefined);
    try {
      await messaging.transactional.send(send);
    } finally {
      vi.unstubAllGlobals();
    }

    expect(warn).toHaveBeenCalledOnce();
  });
});

test.for(operationCases)('%s is content with what the document shows', async ([name, { answer: body }]) => {
  const service = await startService(answer(body === undefined ? 204 : 200, body));

  expect(await everyCall[name]?.(clientOf(service, { validation: 'strict' }))).toEqual(body);
});
