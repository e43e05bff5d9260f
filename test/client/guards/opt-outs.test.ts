import {
  ConfigurationError,
  createMemoryKeyValueStore,
  createOptOutList,
  type KeyValueService,
  SendBlockedError,
  SendGuardError,
} from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import {
  createWebhookReceiver,
  signTestDelivery,
  toFetchHandler,
  type WebhookEvent,
} from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { phoneOf } from '../bulk/items.js';
import { reply } from '../support/behaviours.js';
import { phone, send, untyped } from '../support/samples.js';
import { rejection, startClient } from '../support/service.js';
import { keepsOptOuts, optedIn, optedOut } from './keeping-opt-outs.js';

const accepted = reply(200, { success: true });

describe('with a store in memory', () => {
  keepsOptOuts(() => {
    const clock = new ManualClock();
    return { store: createMemoryKeyValueStore({ clock }), pass: (time) => clock.pass(time) };
  });
});

/** A store whose operations fail or lie as the test says. */
const troubled = (trouble: Partial<KeyValueService>): KeyValueService => ({
  ...createMemoryKeyValueStore(),
  ...trouble,
});

const failing = async () => {
  throw new Error(`connect ECONNREFUSED, for ${phone}`);
};

test('the client sends nothing to whoever is on the list', async () => {
  const list = createOptOutList({ store: createMemoryKeyValueStore() });
  const { messaging, requests } = await startClient(accepted, { guards: [list] });
  await list.onOptedOut(optedOut(0));
  const error = await rejection(messaging.transactional.send(send));
  expect(error).toBeInstanceOf(SendBlockedError);
  expect(error).toMatchObject({ reason: 'the contact has opted out' });
  expect(await messaging.transactional.send({ ...send, phone: phoneOf(1) })).toEqual({ success: true });
  await list.onOptedIn(optedIn(1));
  expect(await messaging.transactional.send(send)).toEqual({ success: true });
  expect(requests).toHaveLength(2);
});

describe('a delivery that comes late', () => {
  test.each([
    ['an older opt-in does not undo an opt-out', [optedOut(1), optedIn(0)], true],
    ['an older opt-out does not undo an opt-in', [optedIn(1), optedOut(0)], false],
    ['of two at the same moment the opt-out counts', [optedOut(0), optedIn(0)], true],
    ['of two at the same moment the opt-out counts, also if it comes last', [optedIn(0), optedOut(0)], true],
    ['the same one again changes nothing', [optedOut(0), optedIn(1), optedOut(0), optedIn(1)], false],
    [
      'an offset from UTC is taken into account',
      [
        { ...optedOut(0), timestamp: '2026-01-01T00:30:00.000+01:00' },
        { ...optedIn(0), timestamp: '2025-12-31T23:00:00.000Z' },
      ],
      true,
    ],
  ])('%s', async (_, events, isOptedOut) => {
    const list = createOptOutList({ store: createMemoryKeyValueStore() });
    for (const event of events)
      await (event.event === 'contact.opted_out' ? list.onOptedOut(event) : list.onOptedIn(event));
    expect(await list.has(phone)).toBe(isOptedOut);
  });

  test('what comes during a change is not overwritten', async () => {
    const memory = createMemoryKeyValueStore();
    const list = createOptOutList({ store: memory });
    let before: (() => Promise<void>) | undefined = () => list.onOptedOut(optedOut(2));
    const interrupted = (operation: 'setIfAbsent' | 'replaceIfEqual') => ({
      async [operation](...given: [string, string, never, never]) {
        await before?.();
        before = undefined;
        return memory[operation](...given);
      },
    });
    await createOptOutList({ store: { ...memory, ...interrupted('setIfAbsent') } }).onOptedIn(optedIn(1));
    expect(await list.has(phone)).toBe(true);
    before = () => list.onOptedOut(optedOut(4));
    const late = createOptOutList({ store: { ...memory, ...interrupted('replaceIfEqual') } });
    await late.onOptedIn(optedIn(3));
    expect([before, await list.has(phone)]).toEqual([undefined, true]);
  });
});

test('a change that meets many others of the same phone is made', async () => {
  const memory = createMemoryKeyValueStore();
  const list = createOptOutList({ store: memory });
  let others = 0;
  const busy = createOptOutList({
    store: {
      ...memory,
      async replaceIfEqual(...given) {
        others += 1;
        if (others <= 20) await list.onOptedIn(optedIn(others));
        return memory.replaceIfEqual(...given);
      },
    },
  });
  await list.onOptedIn(optedIn(0));
  await busy.onOptedOut(optedOut(1_000));
  expect([others, await list.has(phone)]).toEqual([21, true]);
});

describe('by hand', () => {
  test('add and remove count from now on, by the clock of the list', async () => {
    const store = createMemoryKeyValueStore();
    let now = Date.parse(optedIn(0).timestamp);
    const list = createOptOutList({ store, clock: { now: () => now } });
    await list.add(phone);
    await list.onOptedIn(optedIn(-1));
    expect(await list.has(phone)).toBe(true);
    await list.onOptedIn(optedIn(1));
    expect(await list.has(phone)).toBe(false);
    now += 10;
    await list.add(phone);
    expect(await list.has(phone)).toBe(true);
    await list.remove(phone);
    await list.onOptedOut(optedOut(9));
    expect(await list.has(phone)).toBe(false);
    await list.onOptedOut(optedOut(11));
    expect(await list.has(phone)).toBe(true);
  });

  test('add counts although the clock of the service is ahead', async () => {
    const list = createOptOutList({
      store: createMemoryKeyValueStore(),
      clock: { now: () => Date.parse(optedIn(0).timestamp) },
    });
    await list.onOptedIn(optedIn(90_000));
    await list.add(phone);
    expect(await list.has(phone)).toBe(true);
  });

  test.each(['+1 555 123 4567', phone.slice(1), '', 'Ada', ` ${phone}`, undefined, null, 442071838750])(
    'the phone %j is an error, because another text would be another contact',
    async (given) => {
      const list = createOptOutList({ store: createMemoryKeyValueStore() });
      for (const call of [list.add, list.remove, list.has])
        await expect(call(untyped(given))).rejects.toThrow('There is no phone in E.164 format.');
    },
  );
});

describe('an event without a phone', () => {
  test.each([
    {},
    { contactId: 'contact_1' },
    { phone: '' },
    { phone: 'Ada' },
    { phone: phone.slice(1) },
    { phone: 1 },
  ])('with the data %j is not recorded, and says what to do', async (data) => {
    const list = createOptOutList({ store: createMemoryKeyValueStore() });
    const error = await rejection(list.onOptedOut(optedOut(0, data)));
    expect(String(error)).toBe(
      'TypeError: There is no phone in E.164 format. If events have none, set phoneOf of the opt-out list.',
    );
  });

  test('gets it from phoneOf', async () => {
    const phones = new Map([['contact_1', phone]]);
    const list = createOptOutList({
      store: createMemoryKeyValueStore(),
      phoneOf: async ({ data }) => phones.get(data.contactId ?? ''),
    });
    await list.onOptedOut(optedOut(0, { contactId: 'contact_1' }));
    expect(await list.has(phone)).toBe(true);
    await expect(list.onOptedOut(optedOut(0, { contactId: 'contact_2' }))).rejects.toThrow('no phone');
    await list.onOptedIn(optedIn(1, { contactId: 'contact_1', phone: phoneOf(1) }));
    expect([await list.has(phone), await list.has(phoneOf(1))]).toEqual([false, false]);
  });

  test('that has no moment is not recorded', async () => {
    const list = createOptOutList({ store: createMemoryKeyValueStore() });
    for (const timestamp of ['yesterday', '', untyped<string>(undefined)])
      await expect(list.onOptedOut({ ...optedOut(0), timestamp })).rejects.toThrow('has no timestamp');
  });
});

describe('an event that says nothing about consent', () => {
  const message = { ...optedOut(5), event: 'message.received' };

  test.each([
    ['a message', message],
    ['a type that is not known yet', { ...optedOut(5), event: 'contact.opted_out.v2' }],
    ['a type with the end of another', { ...optedOut(5), event: 'not.contact.opted_out' }],
    ['a type of no text', { ...optedOut(5), event: ['contact.opted_out'] }],
    ['no type', { data: { phone }, timestamp: message.timestamp }],
    ['a text', 'contact.opted_out'],
    ['null', null],
    ['nothing', undefined],
  ])('is ignored, and warned of once: %s', async (_, event) => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => void warned.mockRestore());
    const asked = vi.fn(() => phone);
    const list = createOptOutList({ store: createMemoryKeyValueStore(), phoneOf: asked });
    await list.onOptedOut(optedOut(0));
    for (const handler of [list.onOptedOut, list.onOptedIn, list.onOptedOut]) await handler(untyped(event));
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await list.has(phone)).toBe(true);
    await list.onOptedIn(optedIn(1)); // and what comes later counts
    expect(await list.has(phone)).toBe(false);
    expect(warned.mock.calls).toEqual([
      [
        expect.stringContaining('neither contact.opted_out nor contact.opted_in'),
        'MessagingAutomationConfiguration',
      ],
    ]);
  });

  test('is ignored where a receiver hands every event to the list', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => void warned.mockRestore());
    const list = createOptOutList({ store: createMemoryKeyValueStore() });
    const secret = 'whsec_example';
    const errors: unknown[] = [];
    const receive = toFetchHandler(
      createWebhookReceiver({ secret, onError: (error) => errors.push(error) }).onAny((event) =>
        list.onOptedOut(untyped(event)),
      ),
    );
    const types = ['message.received', 'contact.opted_out', 'message.received', 'contact.merged'];
    for (const event of types) {
      const { status } = await receive(signTestDelivery({ secret, event, data: { phone } }).toRequest());
      expect([event, status]).toEqual([event, 204]);
    }
    expect([errors, await list.has(phone)]).toEqual([[], true]);
    const { messaging } = await startClient(accepted, { guards: [list] });
    expect(await rejection(messaging.transactional.send(send))).toBeInstanceOf(SendBlockedError);
  });

  test('does not hide one that does, though it is given to the other handler', async () => {
    const list = createOptOutList({ store: createMemoryKeyValueStore() });
    await list.onOptedIn(untyped(optedOut(0)));
    expect(await list.has(phone)).toBe(true);
    await list.onOptedOut(untyped(optedIn(1)));
    expect(await list.has(phone)).toBe(false);
  });

  test.each([undefined, null, 'text'])(
    'is not one whose data are %j: there the phone is missing',
    async (data) => {
      const list = createOptOutList({ store: createMemoryKeyValueStore() });
      await expect(list.onOptedOut(untyped({ ...optedOut(0), data }))).rejects.toThrow('There is no phone');
    },
  );
});

describe('the store', () => {
  test('gets no phone, and the list gets along with other keys in it', async () => {
    const keys: string[] = [];
    const memory = createMemoryKeyValueStore();
    const store: KeyValueService = {
      ...memory,
      get: (key) => {
        keys.push(key);
        return memory.get(key);
      },
      set: (...given) => {
        keys.push(...given.map(String));
        return memory.set(...given);
      },
      setIfAbsent: (...given) => {
        keys.push(...given.map(String));
        return memory.setIfAbsent(...given);
      },
    };
    const list = createOptOutList({ store });
    await list.onOptedOut(optedOut(0));
    await list.add(phoneOf(1));
    const { messaging } = await startClient(accepted, { guards: [list], idempotencyStore: store });
    await messaging.transactional.send({ ...send, phone: phoneOf(2) }, { idempotencyKey: 'order-1001' });
    const all = keys.join(' ');
    for (const each of [phone, phoneOf(1), phoneOf(2)]) expect(all).not.toContain(each.slice(1));
    expect(keys.filter((key) => /^opt-out:[0-9a-f]{64}$/.test(key))).not.toEqual([]);
  });

  test.each<[string, Partial<KeyValueService>, string]>([
    ['fails', { get: failing }, 'ECONNREFUSED'],
    ['has something else under a key', { get: async () => '{"state":"sent"}' }, 'not a record'],
    ['has something that only ends like a record', { get: async () => 'opted_out' }, 'not a record'],
    ['returns no text', { get: async () => untyped<string>(1) }, 'not a record'],
  ])('that %s lets no message out', async (_, trouble, cause) => {
    const list = createOptOutList({ store: troubled(trouble) });
    const { messaging, requests } = await startClient(accepted, { guards: [list] });
    const error = await rejection(messaging.transactional.send(send));
    expect(error).toBeInstanceOf(SendGuardError);
    expect(String(error)).toContain(cause);
    expect(String(error)).not.toContain(phone);
    expect(requests).toHaveLength(0);
  });

  test.each(['get', 'setIfAbsent'] as const)('whose %s fails makes the handler fail', async (operation) => {
    const list = createOptOutList({ store: troubled({ [operation]: failing }) });
    await expect(list.onOptedOut(optedOut(0))).rejects.toThrow('ECONNREFUSED');
  });

  test('that refuses each change makes the handler fail, and does not hold it for ever', async () => {
    for (const refusal of [false, untyped<boolean>('OK'), untyped<boolean>(undefined)]) {
      const list = createOptOutList({ store: troubled({ setIfAbsent: async () => refusal }) });
      await expect(list.onOptedOut(optedOut(0))).rejects.toThrow('refuses each change');
    }
  });

  test('that has written but reports no boolean is believed when it is read', async () => {
    const memory = createMemoryKeyValueStore();
    const store = {
      ...memory,
      setIfAbsent: async (...given: [string, string, number]) => {
        await memory.setIfAbsent(...given);
        return untyped<boolean>('OK');
      },
    };
    const list = createOptOutList({ store });
    await list.onOptedOut(optedOut(0));
    expect(await list.has(phone)).toBe(true);
  });
});

test.each([
  [{}, 'store must be an object with the methods get'],
  [{ store: {} }, 'store must be an object with the methods get'],
  [{ store: createMemoryKeyValueStore(), phoneOf: phone }, 'phoneOf must be a function'],
  [{ store: createMemoryKeyValueStore(), clock: {} }, 'clock must be an object with the method now'],
])('the options %j are an error', (options, message) => {
  const create = () => createOptOutList(untyped(options));
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(`createOptOutList: ${message}`);
});

describe('with the reference server', () => {
  /** A service, its receiver, and an app with a list, whose messages go out while nobody has opted out. */
  async function startApp(consentEventData: 'full' | 'id' | 'empty') {
    const errors: unknown[] = [];
    const server = createReferenceServer({
      fetch: (input, init) => receive(new Request(input, init)),
      specGaps: { consentEventData },
      templates: [{ id: 'order_update', body: 'Shipped.' }],
      contacts: [{ phone }, { phone: phoneOf(1) }],
    });
    const list = createOptOutList({
      store: createMemoryKeyValueStore(),
      ...(consentEventData === 'id' && {
        phoneOf: async ({
          data,
        }: Extract<WebhookEvent, { event: 'contact.opted_in' | 'contact.opted_out' }>) =>
          (await server.client.contacts.get(data.contactId ?? '')).properties.phone,
      }),
    });
    const { secret } = await server.client.webhooks.create({
      url: 'https://app.example.com/hooks',
      events: ['contact.opted_out', 'contact.opted_in'],
    });
    const { onOptedOut, onOptedIn } = list;
    const receiver = createWebhookReceiver({
      secret,
      clock: server.clock,
      dedupe: false,
      onError: (error) => errors.push(error),
    })
      .on('contact.opted_out', onOptedOut)
      .on('contact.opted_in', onOptedIn);
    const receive = toFetchHandler(receiver);
    const messaging = server.client.withOptions({ guards: [list] });
    return { server, messaging, list, errors };
  }

  test.each(['full', 'id'] as const)(
    'STOP holds messages back until START, if the events have the data: %s',
    async (data) => {
      const { server, messaging, errors } = await startApp(data);
      await using _ = server;
      const other = { ...send, phone: phoneOf(1) };
      await messaging.transactional.send(send);
      await server.simulate.inboundMessage({ phone, body: 'stop' });
      await server.settled();
      expect(await rejection(messaging.transactional.send(send))).toBeInstanceOf(SendBlockedError);
      await messaging.transactional.send(other);
      await server.clock.advance('1s');
      await server.simulate.inboundMessage({ phone, body: 'START' });
      await server.settled();
      await messaging.transactional.send(send);
      const sent = await server.journal.sends();
      expect(sent.map((each) => [each.phone, each.toOptedOut])).toEqual([
        [phone, undefined],
        [phoneOf(1), undefined],
        [phone, undefined],
      ]);
      expect(errors).toEqual([]);
    },
  );

  test('an opt-out that cannot be recorded is delivered again, and is in onError', async () => {
    const { server, list, errors } = await startApp('empty');
    await using _ = server;
    await server.simulate.inboundMessage({ phone, body: 'STOP' });
    await server.settled();
    const [delivery] = await server.journal.deliveries();
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status: 500 }] });
    expect(errors.map(String)).toEqual([expect.stringContaining('phoneOf')]);
    expect(await list.has(phone)).toBe(false);
  });
});

test('an opt-out that arrives while a form records an older consent stays', async () => {
  const clock = new ManualClock();
  const memory = createMemoryKeyValueStore({ clock });
  let arrive = async () => {};
  const store = {
    ...memory,
    async set(...given: Parameters<KeyValueService['set']>) {
      await arrive();
      return memory.set(...given);
    },
    async replaceIfEqual(...given: Parameters<KeyValueService['replaceIfEqual']>) {
      await arrive();
      return memory.replaceIfEqual(...given);
    },
  };
  const list = createOptOutList({ store, clock });
  await list.add(phone);
  clock.pass(1_000);
  const other = createOptOutList({ store: memory, clock });
  arrive = async () => {
    arrive = async () => {};
    clock.pass(1_000);
    await other.add(phone);
  };
  await list.remove(phone);
  expect(await list.has(phone)).toBe(true);
  await list.remove(phone);
  expect(await list.has(phone)).toBe(false);
});
