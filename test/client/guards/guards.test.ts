import {
  ConfigurationError,
  createMemoryKeyValueStore,
  defineWorkspace,
  InvalidInputError,
  onlyTo,
  SendBlockedError,
  type SendGuard,
  SendGuardError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { withResolvers } from '../../waiting.js';
import { phoneOf, sends } from '../bulk/items.js';
import { faults, inTurn, reply } from '../support/behaviours.js';
import { eagerClock, manualClock } from '../support/clocks.js';
import { apiKey, phone, send, untyped } from '../support/samples.js';
import { noteEvents, rejection, startClient } from '../support/service.js';

const accepted = reply(200, { success: true });

/** A guard that notes what it is asked about, and responds as the test says. */
function guardOf(reply: (message: { phone: string; templateId: string }) => unknown = () => undefined) {
  const asked: object[] = [];
  const guard: SendGuard = {
    check(message) {
      asked.push({ ...message });
      return untyped(reply(message));
    },
  };
  return { guard, asked };
}

const guards = (...replies: (() => unknown)[]) => replies.map((reply) => guardOf(reply).guard);

describe('a message that a guard holds back', () => {
  test('is not sent, and its error says why', async () => {
    const { messaging, requests } = await startClient(accepted, { guards: guards(() => 'it is night') });
    const call = messaging.transactional.send(send);
    const error = await rejection(call);
    expect(error).toBeInstanceOf(SendBlockedError);
    expect(error).toMatchObject({
      operation: 'transactional.send',
      outcome: 'not_sent',
      retryable: false,
      attempts: 0,
      reason: 'it is night',
      message: 'transactional.send was held back by a guard (it is night). Nothing was sent.',
    });
    expect(call.outcome).toBe('not_sent');
    expect(requests).toHaveLength(0);
  });

  test('is not sent by any guard after the first that refuses, and the others are not asked', async () => {
    const [first, second, third] = [guardOf(), guardOf(async () => 'second'), guardOf(() => 'third')];
    const { messaging, requests } = await startClient(accepted, {
      guards: [first.guard, second.guard, third.guard],
    });
    expect(await rejection(messaging.transactional.send(send))).toMatchObject({ reason: 'second' });
    expect([first.asked, second.asked, third.asked]).toEqual([[send], [send], []]);
    expect(requests).toHaveLength(0);
  });

  test('has a reason without keys and phones, of at most 200 characters', async () => {
    const digits = phone.slice(1);
    const reason = `${phone}, ${digits} and ${apiKey} ${'x'.repeat(300)}`;
    const { messaging } = await startClient(accepted, { guards: guards(() => reason) });
    const error = await rejection(messaging.transactional.send(send));
    if (!(error instanceof SendBlockedError)) throw error;
    expect(error.reason).toHaveLength(200);
    for (const text of [error.message, JSON.stringify(error), String(error.stack)]) {
      expect(text).not.toContain(digits);
      expect(text).not.toContain(apiKey);
    }
  });

  test('gives its idempotency key back', async () => {
    const idempotencyStore = createMemoryKeyValueStore();
    let reason: string | undefined = 'not yet';
    const { messaging, requests } = await startClient(accepted, {
      idempotencyStore,
      guards: guards(() => reason),
    });
    const key = { idempotencyKey: 'order-1001-shipped' };
    expect(await rejection(messaging.transactional.send(send, key))).toBeInstanceOf(SendBlockedError);
    reason = undefined;
    expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
    reason = 'too late';
    expect(await messaging.transactional.send(send, key)).toEqual({ success: true, replayed: true });
    expect(requests).toHaveLength(1);
  });
});

describe('guards', () => {
  test('are asked again before each request of a call', async () => {
    const { guard, asked } = guardOf();
    const { messaging, requests } = await startClient(inTurn(reply(429, {}), accepted), {
      guards: [guard],
      clock: eagerClock(),
    });
    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    expect([asked, requests.length]).toEqual([[send, send], 2]);
  });

  test('get the phone and the template of the request, and cannot change it', async () => {
    const workspace = defineWorkspace({
      templates: { shipped: { id: 'order_update', variables: ['name'] } },
    });
    const first = guardOf((message) => {
      message.phone = phoneOf(1);
      message.templateId = 'another';
    });
    const second = guardOf();
    const { baseUrl, requests } = await startClient(accepted);
    const { MessagingAutomation } = await import('messaging-automation');
    const messaging = new MessagingAutomation({
      apiKey,
      baseUrl,
      workspace,
      guards: [first.guard, second.guard],
    });
    await messaging.transactional.send({ phone, template: 'shipped', variables: { name: 'Ada' } });
    expect([first.asked, second.asked]).toEqual([[send], [send]]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ ...send, variables: { '1': 'Ada' } });
  });

  test('are not asked about an invalid message, and not by any other call', async () => {
    const { guard, asked } = guardOf(() => 'no');
    const { messaging, requests } = await startClient(
      inTurn(reply(201, { id: 'c1', properties: { phone } }), reply(202, { accepted: true }), accepted),
      { guards: [guard] },
    );
    const invalid = messaging.transactional.send({ ...send, phone: '555 1234' });
    expect(await rejection(invalid)).toBeInstanceOf(InvalidInputError);
    await messaging.contacts.upsert({ phone });
    await messaging.events.track({ event: 'order_placed', phone });
    await messaging.request({ method: 'POST', path: '/v1/transactional', body: send });
    expect([asked, requests.length]).toEqual([[], 3]);
  });

  test('are those of the client when it was made', async () => {
    const given: SendGuard[] = guards(() => 'no');
    const { messaging, requests } = await startClient(accepted, { guards: given });
    const patient = messaging.withOptions({ retries: 1 });
    given.pop();
    for (const client of [messaging, patient])
      expect(await rejection(client.transactional.send(send))).toBeInstanceOf(SendBlockedError);
    expect(await messaging.withOptions({ guards: [] }).transactional.send(send)).toEqual({ success: true });
    expect(requests).toHaveLength(1);
  });
});

describe('nothing is sent', () => {
  test.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error(`No response for ${phone}, ${phone.slice(1)} with ${apiKey}`);
      },
      'No response for',
    ],
    ['rejects', () => Promise.reject(new Error('ECONNREFUSED')), 'ECONNREFUSED'],
    ['rejects with no error', () => Promise.reject(phone), 'not an error'],
    ...['', ' \n', null, true, false, 0, {}, () => 'a reason'].map(
      (reply): [string, () => unknown, string] => [
        `returns ${JSON.stringify(reply) ?? 'a function'}`,
        () => reply,
        'check must return a reason',
      ],
    ),
  ])('if a guard %s', async (_, reply, cause) => {
    const { messaging, requests } = await startClient(accepted, {
      guards: guards(reply),
      idempotencyStore: createMemoryKeyValueStore(),
    });
    const options = { idempotencyKey: 'order-1001-shipped' };
    const error = await rejection(messaging.transactional.send(send, options));
    expect(error).toBeInstanceOf(SendGuardError);
    expect(error).not.toBeInstanceOf(SendBlockedError);
    expect(error).toMatchObject({ outcome: 'not_sent', retryable: true, attempts: 0 });
    expect(String(error)).toContain('transactional.send made no request, because a guard failed (');
    for (const secret of [phone, phone.slice(1), apiKey]) {
      expect(String(error)).not.toContain(secret);
      expect(String(Object(error).cause.stack)).not.toContain(secret);
    }
    expect(String(Object(error).cause)).toContain(cause);
    const without = messaging.withOptions({ guards: [] });
    expect(await without.transactional.send(send, options)).toEqual({ success: true });
    expect(requests).toHaveLength(1);
  });

  test('if a guard fails once: the call does not ask it again', async () => {
    const { guard, asked } = guardOf(() =>
      asked.length === 1 ? Promise.reject(new Error('once')) : undefined,
    );
    const { messaging, requests } = await startClient(accepted, { guards: [guard], retries: 5 });
    expect(await rejection(messaging.transactional.send(send))).toBeInstanceOf(SendGuardError);
    expect([asked.length, requests.length]).toEqual([1, 0]);
  });

  test('if a guard does not respond before the deadline, or fails after it', async () => {
    const unhandled = noteEvents('unhandledRejection');
    const [clock, gate, asked] = [manualClock(), withResolvers(), withResolvers()];
    const late: SendGuard = {
      async check() {
        asked.resolve();
        await gate.promise;
        throw new Error('late');
      },
    };
    const { messaging, requests } = await startClient(accepted, { guards: [late], clock, timeout: 5_000 });
    const call = messaging.transactional.send(send);
    await asked.promise;
    clock.advance(5_000);
    const error = await rejection(call);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect(String(error)).toContain('Nothing was sent.');
    gate.resolve();
    await new Promise(setImmediate);
    expect([unhandled, requests]).toEqual([[], []]);
  });

  test('if the caller aborts while a guard is asked', async () => {
    const asked = withResolvers();
    const waiting: SendGuard = {
      check() {
        asked.resolve();
        return new Promise(() => {});
      },
    };
    const { messaging, requests } = await startClient(accepted, { guards: [waiting] });
    const stop = new AbortController();
    const call = messaging.transactional.send(send, { signal: stop.signal });
    await asked.promise;
    stop.abort('enough');
    expect(await rejection(call)).toBe('enough');
    expect([call.outcome, requests.length]).toEqual(['not_sent', 0]);
  });
});

describe('in a bulk run', () => {
  test('a message that is held back is rejected, and never stops the run', async () => {
    const blocked = new Set(sends(15).map((item) => item.phone));
    const { messaging, requests } = await startClient(accepted, {
      guards: [{ check: (message) => (blocked.has(message.phone) ? 'opted out' : undefined) }],
    });
    const errors: unknown[] = [];
    const run = messaging.transactional.sendEach(sends(17), { maxConsecutiveFailures: 3, concurrency: 1 });
    for await (const outcome of run) if (outcome.status === 'rejected') errors.push(outcome.error);
    expect(await run.summary()).toMatchObject({
      done: 2,
      rejected: 15,
      unknown: 0,
      overall: { done: 2, rejected: 15, unknown: 0 },
      stoppedBecause: undefined,
    });
    expect(errors.every((error) => error instanceof SendBlockedError)).toBe(true);
    expect(requests).toHaveLength(2);
  });

  test('a run with the checkpoint asks again only with retryRejected', async () => {
    let saved: unknown;
    const checkpoint = {
      load: async () => saved,
      save: async (whole: unknown) => {
        saved = structuredClone(whole);
      },
    };
    const { guard, asked } = guardOf(({ phone }) => (phone === phoneOf(0) ? 'opted out' : undefined));
    const { messaging } = await startClient(accepted, { guards: [guard] });
    const { transactional } = messaging;
    expect(await transactional.sendMany(sends(3), { checkpoint })).toMatchObject({ done: 2, rejected: 1 });
    expect(await transactional.sendMany(sends(3), { checkpoint })).toMatchObject({ skipped: 3 });
    expect(asked).toHaveLength(3);
    const open = messaging.withOptions({ guards: [] }).transactional;
    const again = { checkpoint, retryRejected: true };
    expect(await open.sendMany(sends(3), again)).toMatchObject({ done: 1, skipped: 2 });
  });

  test('a guard that fails on every message stops the run, and leaves the messages for the next', async () => {
    const { messaging, requests } = await startClient(accepted, {
      guards: guards(() => Promise.reject(new Error('The list is down.'))),
      clock: eagerClock(100_000),
    });
    const summary = await messaging.transactional.sendMany(sends(30), {
      concurrency: 1,
      timeout: 100_000,
    });
    expect(summary).toMatchObject({ done: 0, rejected: 10, overall: { rejected: 0, unknown: 0 } });
    expect(summary.stoppedBecause).toMatchObject({ reason: 'service_unavailable' });
    expect(summary.stoppedBecause?.error).toBeInstanceOf(SendGuardError);
    expect(requests).toHaveLength(0);
  });
});

describe('onlyTo', () => {
  test('lets out messages to its phones alone', async () => {
    const phones = [phone];
    const { messaging, requests } = await startClient(accepted, { guards: [onlyTo(phones)] });
    phones.push(phoneOf(1));
    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    for (const other of [phoneOf(1), `${phone}0`, phone.slice(0, -1)]) {
      const error = await rejection(messaging.transactional.send({ ...send, phone: other }));
      expect(error).toMatchObject({ reason: 'the phone is not in the list of onlyTo' });
    }
    const nobody = messaging.withOptions({ guards: [onlyTo([])] });
    expect(await rejection(nobody.transactional.send(send))).toBeInstanceOf(SendBlockedError);
    expect(requests).toHaveLength(1);
  });

  test.each([
    [['+1 555 123 4567'], 'phones[0]'],
    [[phone, '15551234567'], 'phones[1]'],
    [[''], 'phones[0]'],
    [[1], 'phones[0]'],
    [phone, 'phones'],
    [undefined, 'phones'],
    [new Set([phone]), 'phones'],
  ])('refuses %j', (phones, place) => {
    const create = () => onlyTo(untyped(phones));
    expect(create).toThrow(ConfigurationError);
    const wanted = place === 'phones' ? 'an array of phone numbers' : 'a phone number';
    expect(create).toThrow(`onlyTo: ${place} must be ${wanted} in E.164 format, such as +15551234567.`);
  });
});

test('a lost connection after the guards is as certain as without them', async () => {
  const { messaging } = await startClient(faults.reset, { guards: guards(() => undefined) });
  expect(await rejection(messaging.transactional.send(send))).toMatchObject({
    outcome: 'unknown',
    attempts: 1,
  });
});
