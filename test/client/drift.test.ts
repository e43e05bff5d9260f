import { type Drift, UnusableResponseError } from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { twins } from '../operations/twins.js';
import { everyCall } from './support/calls.js';
import { eagerClock } from './support/clocks.js';
import { answer, apiKey, clientOf, inTurn, phone, rejection, startService } from './support/service.js';

const send = { phone, templateId: 'order_update' };
const html = '<!doctype html><title>An application</title>';

afterEach(() => vi.restoreAllMocks());

/** A client that collects drift, of a service that answers everything alike. */
async function drifting(status: number, body?: unknown) {
  const drifts: Drift[] = [];
  const service = await startService(answer(status, body));
  return { drifts, messaging: clientOf(service, { onDrift: (drift) => drifts.push(drift) }), service };
}

describe('an accepted send', () => {
  test.each([
    ['an empty body', '', { success: true }],
    ['text', 'OK', { success: true }],
    ['a list', [], { success: true }],
    ['another field', { queued: 'soon' }, { success: true, queued: 'soon' }],
    ['another type', { success: 'yes' }, { success: 'yes' }],
  ])('resolves when answered with %s', async (_, body, expected) => {
    const { drifts, messaging } = await drifting(200, body);

    expect(await messaging.transactional.send(send)).toEqual(expected);
    expect(drifts).toEqual([
      {
        operation: 'transactional.send',
        status: 200,
        problems: [expect.objectContaining({ message: expect.any(String) })],
      },
    ]);
  });

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

  test('is a success, told of, where its JSON is cut short: it is never sent again', async () => {
    const { drifts, messaging, service } = await drifting(200, '{"succ');

    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    expect(drifts).toHaveLength(1);
    expect(service.requests).toHaveLength(1);
  });

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
  const contact = { id: 'c1', properties: { phone, plan: null }, score: 7 };

  test('of another shape comes as it is', async () => {
    const { drifts, messaging } = await drifting(200, { contact, took: 3 });

    expect(await messaging.contacts.get('c1')).toEqual(contact);
    expect(drifts[0]?.problems.map(({ field }) => field)).toEqual(['properties.plan']);
  });

  test('keeps fields that this package does not know', async () => {
    const { drifts, messaging } = await drifting(200, {
      id: 'c1',
      properties: {},
      data: { id: 7 },
      tags: ['new'],
    });

    expect(await messaging.contacts.get('c1')).toEqual({
      id: 'c1',
      properties: {},
      data: { id: 7 },
      tags: ['new'],
    });
    expect(drifts).toEqual([]);
  });

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
  ])('cannot be made of %s', async (_, body) => {
    const { messaging } = await drifting(201, body);
    const error = await rejection(messaging.contacts.upsert({ phone }));

    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error).toMatchObject({ status: 201, outcome: 'unknown', problems: [{ field: '' }] });
  });

  test.each([
    ['an object without an id', { properties: { phone } }],
    ['one whose id is null', { id: null, properties: { phone } }],
    ['one in an envelope', { contact: { properties: { phone } } }],
    ['an empty object', {}],
  ])('cannot be made of %s', async (_, body) => {
    const { drifts, messaging } = await drifting(200, body);
    const errors = await Promise.all(
      [
        messaging.contacts.upsert({ phone }),
        messaging.contacts.find(phone),
        messaging.contacts.get('c1'),
        messaging.webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] }),
      ].map(rejection),
    );

    for (const error of errors) {
      expect(error).toBeInstanceOf(UnusableResponseError);
      expect(error).toMatchObject({ outcome: 'unknown', retryable: false, attempts: 1 });
      expect(String(error)).toMatch(/ id (is|must)/);
    }
    expect(await messaging.contacts.update('c1', { properties: {} })).toBeUndefined();
    expect(drifts.map(({ operation }) => operation)).toEqual(['contacts.update']);
  });

  test('with an id of another type comes as it is, for the request was carried out', async () => {
    const { drifts, messaging } = await drifting(201, { id: 7, properties: { phone } });

    expect(await messaging.contacts.upsert({ phone })).toMatchObject({ id: 7 });
    expect(drifts[0]?.problems.map(({ field }) => field)).toEqual(['id']);
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
    const webhook = { url: 'https://example.com/hooks', events: ['message.received'] } as const;
    expect(await rejection(messaging.webhooks.create(webhook))).toMatchObject({
      attempts: 1,
      retryable: false,
    });
  });

  test('that need not be there may be of another kind', async () => {
    const { drifts, messaging } = await drifting(200, 'OK');

    expect(await messaging.contacts.update('c1', { properties: {} })).toBeUndefined();
    expect(drifts).toEqual([]);
  });
});

describe('a list', () => {
  test('under a name this package does not know is found, and told of', async () => {
    const { drifts, messaging } = await drifting(200, { items: [{ id: 't1' }], total: 1 });

    expect(await messaging.templates.list()).toEqual([{ id: 't1' }]);
    expect(drifts[0]?.problems[0]?.field).toBe('items');
  });

  test('comes as it is when its members are of another shape', async () => {
    const { drifts, messaging } = await drifting(200, { items: [{ name: 't1' }] });

    expect(await messaging.templates.list()).toEqual([{ name: 't1' }]);
    expect(drifts[0]?.problems.map(({ field }) => field)).toEqual(['items', '[0].id']);
  });

  test.each([
    ['two lists of unknown names', { items: [], others: [] }],
    ['no list', { total: 0 }],
    ['text', 'OK'],
  ])('cannot be made of %s', async (_, body) => {
    const { messaging } = await drifting(200, body);
    expect(await rejection(messaging.templates.list())).toBeInstanceOf(UnusableResponseError);
  });

  test('may hold event types this package does not know', async () => {
    const subscription = {
      id: 'w1',
      url: 'https://a.b',
      events: ['message.read'],
      enabled: true,
      createdAt: 1,
    };
    const { drifts, messaging } = await drifting(200, [subscription]);

    expect(await messaging.webhooks.list()).toEqual([subscription]);
    expect(drifts).toEqual([]);
  });
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

test.for(twins)('%s is content with what the document shows', async ([name, { answer: body }]) => {
  const service = await startService(answer(body === undefined ? 204 : 200, body));

  expect(await everyCall[name]?.(clientOf(service, { validation: 'strict' }))).toEqual(body);
});
