import { inspect } from 'node:util';
import {
  type ClientOptions,
  createMemoryKeyValueStore,
  IdempotencyError,
  InvalidInputError,
  type KeyValueService,
  MessagingAutomation,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { listed } from '../../key-value/store-checks.js';
import { ManualClock } from '../../server/support/manual-clock.js';
import { settle, until, within, withResolvers } from '../../waiting.js';
import { type Behaviour, faults, inTurn, reply } from '../support/behaviours.js';
import { apiKey, send, unserved, untyped } from '../support/samples.js';
import { noteEvents, rejection } from '../support/service.js';
import { accepted, guardBehind, key, promptClock, sendsOnce, startSender } from './sending-once.js';

describe('with a store in memory', () => {
  sendsOnce(() => {
    const clock = new ManualClock();
    return { store: createMemoryKeyValueStore({ clock }), pass: (time) => clock.pass(time) };
  });
});

test('a key without a store is an error of the call', async () => {
  const messaging = new MessagingAutomation({ apiKey, ...unserved });
  for (const call of [messaging.transactional.send(send, key), messaging.transactional.settle('a', 'sent')]) {
    const error = await rejection(call);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).toContain("idempotencyKey needs the client's option idempotencyStore");
  }
});

test.each([
  ['', ', not an empty string.'],
  ['x'.repeat(256), '.'],
  [1, ', not 1.'],
])('the key %j is refused', async (idempotencyKey, end) => {
  const { messaging, requests } = await startSender(accepted, createMemoryKeyValueStore());
  const wanted = `idempotencyKey must be a string of 1 to 255 characters${end}`;
  for (const call of [
    messaging.transactional.send(send, untyped({ idempotencyKey })),
    messaging.transactional.settle(untyped(idempotencyKey), 'sent'),
  ])
    expect(String(await rejection(call))).toContain(wanted);
  for (const outcome of ['not sent', undefined]) {
    const typo = messaging.transactional.settle('key', untyped(outcome));
    expect(String(await rejection(typo))).toContain('outcome must be');
  }
  expect(requests).toHaveLength(0);
});

test('an item of a bulk run without a key is not sent', async () => {
  const { messaging, requests } = await startSender(accepted, createMemoryKeyValueStore());
  const idempotencyKey = (_: object, index: number) => {
    if (index === 0) throw new Error('no key');
    return untyped<string>(index === 1 ? undefined : `key ${index}`);
  };
  const summary = await messaging.transactional.sendMany([send, send, send], { idempotencyKey });
  expect(summary).toMatchObject({ done: 1, rejected: 2, unknown: 0 });
  expect(requests).toHaveLength(1);
});

test('a bulk run passes by any number of items that another run may have sent', async () => {
  const { messaging, another, requests } = await startSender(
    inTurn(...Array.from({ length: 12 }, () => faults.reset), accepted),
    createMemoryKeyValueStore(),
  );
  const inputs = Array.from({ length: 15 }, (_, index) => ({ ...send, templateId: `template ${index}` }));
  const options = { idempotencyKey: ({ templateId }: { templateId: string }) => templateId };
  for (const input of inputs.slice(0, 12)) {
    await rejection(messaging.transactional.send(input, { idempotencyKey: input.templateId }));
  }
  const second = await another().transactional.sendMany(inputs, options);
  expect(second).toMatchObject({ unknown: 12, done: 3, rejected: 0, stoppedBecause: undefined });
  expect(requests).toHaveLength(15);
});

test('a store that reports no boolean is believed only as far as it can be read', async () => {
  const memory = createMemoryKeyValueStore();
  const store = troubled({
    ...memory,
    setIfAbsent: async (...given) => untyped<boolean>((await memory.setIfAbsent(...given)) ? 1 : 'OK'),
  });
  const { messaging, another, requests } = await startSender(accepted, store);
  expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
  expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
  expect(requests).toHaveLength(1);
});

/** A store whose operations fail, hang or take place as the test says. */
function troubled(trouble: Partial<KeyValueService>): KeyValueService {
  return { ...createMemoryKeyValueStore(), ...trouble };
}

const failing = async () => {
  throw new Error(`connect ECONNREFUSED, for ${send.phone}`);
};

test('nothing is sent if the store cannot be asked', async () => {
  for (const trouble of ['set', 'setIfAbsent', 'get'] as const) {
    const taken = trouble === 'get' ? { setIfAbsent: async () => false } : {};
    const store = troubled({ ...taken, [trouble]: failing });
    const { messaging, requests } = await startSender(accepted, store);
    const error = await rejection(messaging.transactional.send(send, key));
    expect(error).toBeInstanceOf(IdempotencyError);
    expect(error).toMatchObject({ code: 'store_failed', outcome: 'not_sent', retryable: true, attempts: 0 });
    expect(String(error)).toContain('ECONNREFUSED');
    expect(String(error)).not.toContain(send.phone);
    expect(requests).toHaveLength(0);
  }
});

test('a store that does not respond before the deadline is named, and not the service', async () => {
  const clock = new ManualClock();
  let asked = 0;
  const hanging = troubled({
    setIfAbsent: () => {
      asked += 1;
      return new Promise(() => {});
    },
  });
  const { messaging, requests } = await startSender(accepted, hanging);
  const error = rejection(messaging.withOptions({ clock }).transactional.send(send, key));
  await until('the store to be asked', () => asked > 0);
  clock.pass(30_000);
  expect(await error).toMatchObject({ code: 'store_failed', outcome: 'not_sent', retryable: true });
  expect(String(await error)).toContain('its idempotency store failed (no response before the deadline)');
  expect(requests).toHaveLength(0);
});

test('a store that responds too late gives the key back, because nothing was sent', async () => {
  const memory = createMemoryKeyValueStore();
  const [asked, gate] = [withResolvers(), withResolvers()];
  const late = troubled({
    ...memory,
    async setIfAbsent(...given) {
      asked.resolve();
      await gate.promise;
      return memory.setIfAbsent(...given);
    },
  });
  const { messaging, another, requests } = await startSender(accepted, late);
  const stop = new AbortController();
  const call = messaging.transactional.send(send, { ...key, signal: stop.signal });
  await asked.promise;
  stop.abort('too late');
  expect(await rejection(call)).toBe('too late');
  gate.resolve();
  await settle();
  expect(await listed(memory, 'send:', '')).toEqual([]);
  const prompt = another().withOptions({ idempotencyStore: memory });
  const result = within('the result', prompt.transactional.send(send, key));
  expect(await result).toEqual({ success: true });
  expect(requests).toHaveLength(1);
});

test('a call that ends while another one looks for its lease does not count as unknown, though the lease has ended', async () => {
  const memory = createMemoryKeyValueStore();
  const gate = withResolvers();
  const { messaging, another, requests, received } = await startSender(async (...given) => {
    await gate.promise;
    accepted(...given);
  }, memory);
  const first = messaging.transactional.send(send, key);
  await received(1);
  const store = troubled({
    ...memory,
    async get(name) {
      if (!name.startsWith('lease:')) return memory.get(name);
      gate.resolve();
      await first;
      await memory.deleteIfEqual(name, 'alive');
      return memory.get(name);
    },
  });
  const second = another().withOptions({ idempotencyStore: store }).transactional.send(send, key);
  expect(await within('the result', second)).toMatchObject({ replayed: true });
  expect(requests).toHaveLength(1);
});

test('a call that takes minutes keeps its key', async () => {
  const [clock, storesClock] = [new ManualClock(), new ManualClock()];
  const store = createMemoryKeyValueStore({ clock: storesClock });
  const gate = withResolvers();
  const { messaging, another, received } = await startSender(async (...given) => {
    await gate.promise;
    accepted(...given);
  }, store);
  const slow = messaging.withOptions({ clock, timeout: 600_000 }).transactional.send(send, key);
  await received(1);
  for (let minutes = 0; minutes < 3; minutes += 0.25) {
    storesClock.pass(15_000);
    clock.pass(15_000);
  }
  expect(await another().transactional.settle(key.idempotencyKey, 'not_sent')).toBe(false);
  gate.resolve();
  expect(await within('the result', slow)).toEqual({ success: true });
});

test.each<[string, () => Promise<never>]>([
  ['fails', failing],
  ['does not respond', () => new Promise(() => {})],
])('a send succeeds though its store %s afterwards, and counts as unknown', async (_, trouble) => {
  const warnings = noteEvents('warning');
  const [clock, storesClock] = [new ManualClock(), new ManualClock()];
  const memory = createMemoryKeyValueStore({ clock: storesClock });
  let asked = 0;
  const replaceIfEqual = () => {
    asked += 1;
    return trouble();
  };
  const { messaging, another, requests } = await startSender(
    accepted,
    troubled({ ...memory, replaceIfEqual }),
  );
  const result = messaging.withOptions({ clock }).transactional.send(send, key);
  await until('a first try to record the outcome', () => asked > 0);
  clock.pass(10_000);
  expect(await within('the result', result)).toEqual({ success: true });
  storesClock.pass(30_000);
  const after = another().withOptions({ idempotencyStore: memory });
  await expect(after.transactional.send(send, key)).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(requests).toHaveLength(1);
  // The process is warned once.
  expect(warnings.map(String).filter((warning) => !warning.includes('could not be recorded'))).toEqual([]);
});

/** What may become of a request that the service has received. */
const ends: readonly (readonly [string, Behaviour, 'sent' | 'rejected' | 'unknown'])[] = [
  ['accepts', accepted, 'sent'],
  ['rejects', reply(404, { error: { code: 'not_found' } }), 'rejected'],
  ['resets', faults.reset, 'unknown'],
  ['responds never to', faults.stall, 'unknown'],
];

describe.each(['the deadline', 'an abort'] as const)(
  'a store that hangs after the request left holds no call beyond %s',
  (end) => {
    test.each(ends)('if the service %s it', async (_, behave, became) => {
      const clock = new ManualClock();
      const memory = createMemoryKeyValueStore({ clock: new ManualClock() });
      let isHanging = false;
      const hang =
        <Given extends unknown[], Result>(operation: (...given: Given) => Promise<Result>) =>
        (...given: Given) =>
          isHanging ? new Promise<Result>(() => {}) : operation(...given);
      const store = {
        get: hang(memory.get),
        set: hang(memory.set),
        setIfAbsent: hang(memory.setIfAbsent),
        replaceIfEqual: hang(memory.replaceIfEqual),
        deleteIfEqual: hang(memory.deleteIfEqual),
      };
      const { messaging, another, requests, received } = await startSender((...given) => {
        isHanging = true;
        behave(...given);
      }, store);
      const stop = new AbortController();
      const client = messaging.withOptions({ clock, timeout: 1_000 });
      const call = client.transactional.send(send, { ...key, signal: stop.signal });
      const ended = Promise.allSettled([call]);
      await received(1);
      await settle();
      if (end === 'an abort') stop.abort('enough');
      else clock.pass(1_000);
      const [result] = await within('the call to end', ended);

      if (end === 'an abort') expect(result).toEqual({ status: 'rejected', reason: 'enough' });
      else if (became === 'sent')
        expect(result).toMatchObject({ status: 'fulfilled', value: { success: true } });
      else expect(result).toMatchObject({ status: 'rejected', reason: { outcome: became } });
      const isDelivered = became === 'sent' && end === 'the deadline';
      expect(call.outcome).toBe(isDelivered ? undefined : became === 'rejected' ? 'rejected' : 'unknown');

      // Nobody knows what has become of it, as long as the store has no record.
      isHanging = false;
      const prompt = another({ idempotencyStore: memory, timeout: 5 });
      expect(await rejection(prompt.transactional.send(send, key))).toMatchObject({
        name: 'IdempotencyError',
      });
      expect(requests).toHaveLength(1);
    });
  },
);

test('a store that hangs while a call waits for its guard ends the call at its deadline, and nothing is sent', async () => {
  const [clock, asked, gate] = [new ManualClock(), withResolvers(), withResolvers()];
  const memory = createMemoryKeyValueStore({ clock: new ManualClock() });
  let isHanging = false;
  const store = troubled({
    ...memory,
    set: (...given) => (isHanging ? new Promise(() => {}) : memory.set(...given)),
  });
  const { messaging, requests } = await startSender(accepted, store);
  const guard = guardBehind(asked, gate);
  const client = messaging.withOptions({ clock, timeout: 60_000, guards: [guard] });
  const error = rejection(client.transactional.send(send, key));
  await asked.promise;
  isHanging = true;
  clock.pass(30_000);
  gate.resolve();
  await settle();
  clock.pass(30_000);
  expect(await error).toMatchObject({ code: 'store_failed', outcome: 'not_sent', retryable: true });
  expect(requests).toHaveLength(0);
});

test('a call that is aborted after its request left keeps its key from being sent again', async () => {
  const { messaging, another, requests, received } = await startSender(
    faults.stall,
    createMemoryKeyValueStore(),
  );
  const stop = new AbortController();
  const call = messaging.transactional.send(send, { ...key, signal: stop.signal });
  await received(1);
  stop.abort(new DOMException('The job was stopped.', 'AbortError'));
  await rejection(call);
  expect(call.outcome).toBe('unknown');
  expect(await rejection(another().transactional.send(send, key))).toMatchObject({ code: 'outcome_unknown' });
  expect(requests).toHaveLength(1);
});

test('a call that finds its key taken writes nothing, so a store that is closed afterwards keeps no process alive', async () => {
  const memory = createMemoryKeyValueStore();
  const { messaging, another, requests } = await startSender(faults.reset, memory);
  await rejection(messaging.transactional.send(send, key));
  let asked = 0;
  const write = () => {
    asked += 1;
    return failing();
  };
  const closed = { set: write, setIfAbsent: write, replaceIfEqual: write, deleteIfEqual: write };
  const late = another({ idempotencyStore: { ...memory, ...closed } });
  expect(await rejection(late.transactional.send(send, key))).toMatchObject({ code: 'outcome_unknown' });
  const other = { ...send, templateId: 'another' };
  expect(await rejection(late.transactional.send(other, key))).toBeInstanceOf(InvalidInputError);
  await settle();
  expect([asked, requests.length]).toEqual([0, 1]);
});

test('a store whose operations return no promises works', async () => {
  const entries = new Map<string, string>();
  const set = (name: string, value: string) => entries.set(name, value);
  const isEqual = (name: string, expected: string) => entries.get(name) === expected;
  const synchronous = {
    get: (name: string) => entries.get(name),
    set,
    setIfAbsent: (name: string, value: string) => !entries.has(name) && Boolean(set(name, value)),
    replaceIfEqual: (name: string, expected: string, value: string) =>
      isEqual(name, expected) && Boolean(set(name, value)),
    deleteIfEqual: (name: string, expected: string) => isEqual(name, expected) && entries.delete(name),
  };
  const { messaging, another, requests } = await startSender(accepted, untyped(synchronous));
  expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
  expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
  expect([requests.length, entries.size]).toEqual([1, 1]);
});

test('a key is free after a middleware responded and no request left', async () => {
  const { messaging, another, requests } = await startSender(accepted, createMemoryKeyValueStore());
  const headers = new Headers();
  const dryRun = messaging.withOptions({
    middleware: [() => ({ status: 200, headers, body: '{"success":true}' })],
  });
  expect(await dryRun.transactional.send(send, key)).toEqual({ success: true });
  expect(await another().transactional.send(send, key)).toEqual({ success: true });
  expect(requests).toHaveLength(1);
});

test('a key is free after a middleware turned the rejection of the request into a success', async () => {
  const { messaging, another, requests } = await startSender(reply(429), createMemoryKeyValueStore());
  const headers = new Headers();
  const lenient = messaging.withOptions({
    middleware: [
      async (request, next) => {
        await next(request);
        return { status: 200, headers, body: '{"success":true}' };
      },
    ],
  });
  expect(await lenient.transactional.send(send, key)).toEqual({ success: true });
  expect(
    await another({ retries: 0 })
      .transactional.send(send, key)
      .catch(({ status }) => status),
  ).toBe(429);
  expect(requests).toHaveLength(2);
});

test('a request does not leave after a middleware has failed that did not wait for it, and the key is free', async () => {
  const [asked, goOn] = [withResolvers(), withResolvers()];
  const guard = guardBehind(asked, goOn);
  const { another, requests } = await startSender(accepted, createMemoryKeyValueStore());
  const careless = another({
    guards: [guard],
    middleware: [
      async (request, next) => {
        next(request).catch(() => {});
        await asked.promise;
        throw new Error('The audit failed.');
      },
    ],
  });
  expect(await rejection(careless.transactional.send(send, key))).toMatchObject({
    name: 'MiddlewareError',
    outcome: 'not_sent',
  });
  goOn.resolve();
  await settle();
  expect(requests).toHaveLength(0);
  expect(await another().transactional.send(send, key)).toEqual({ success: true });
  expect(requests).toHaveLength(1);
});

test('a settlement is about the call that it has seen, and not about a later one', async () => {
  const memory = createMemoryKeyValueStore();
  const { another } = await startSender(faults.reset, memory);
  await rejection(another().transactional.send(send, key));
  const late = another({
    idempotencyStore: {
      ...memory,
      async replaceIfEqual(...given) {
        await memory.deleteIfEqual(given[0], given[1]); // another person settles it as not sent
        await rejection(another().transactional.send(send, key)); // and another call has an unknown outcome
        return memory.replaceIfEqual(...given);
      },
    },
  });
  expect(await late.transactional.settle(key.idempotencyKey, 'sent')).toBe(false);
  expect(await another().transactional.unsettled()).toHaveLength(1);
});

test('a log says what the error says of an earlier call', async () => {
  const outcomes: unknown[] = [];
  const logger = { error: ({ outcome }: { outcome?: string }) => void outcomes.push(outcome) };
  const { messaging, another } = await startSender(faults.reset, createMemoryKeyValueStore());
  await rejection(messaging.transactional.send(send, key));
  const error = await rejection(another({ logger }).transactional.send(send, key));
  expect(error).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
  expect(outcomes).toEqual(['unknown']);
});

test('an outcome that the store refuses to record is recorded by a later try', async () => {
  const memory = createMemoryKeyValueStore();
  let tries = 0;
  const store = troubled({
    ...memory,
    async replaceIfEqual(...given) {
      tries += 1;
      return tries < 4 ? failing() : memory.replaceIfEqual(...given);
    },
  });
  const { messaging, another, requests } = await startSender(accepted, store);
  expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
  expect(tries).toBe(4);
  expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
  expect(requests).toHaveLength(1);
});

describe('a store that cannot work', () => {
  test.each<[string, unknown, string]>([
    ['the text of something else', 'OK', 'is not a record of a request'],
    ['JSON of something else', '{"state":"open"}', 'is not a record of a request'],
    ['a record without its call', '{"state":"sent"}', 'is not a record of a request'],
    ['an object', { state: 'sent' }, 'is not a record of a request'],
  ])('because it has %s under the key is not asked again', async (_, value, reason) => {
    const get = async () => untyped<string>(value);
    const store = troubled({ get, setIfAbsent: async () => false });
    const { messaging, requests } = await startSender(accepted, store);
    const error = await rejection(messaging.transactional.send(send, key));
    expect(error).toMatchObject({ code: 'store_failed', outcome: 'not_sent', retryable: false });
    expect(String(error)).toContain(reason);
    expect(String(error)).toContain('Calling again does not help.');
    expect(await rejection(messaging.transactional.settle(key.idempotencyKey, 'sent'))).toMatchObject({
      code: 'store_failed',
      retryable: false,
    });
    expect(requests).toHaveLength(0);
  });

  test('because its code is wrong is not asked again, and the error has the cause', async () => {
    const store = troubled({ setIfAbsent: async () => untyped<{ run: () => boolean }>({}).run() });
    const { messaging } = await startSender(accepted, store);
    const error = await rejection(messaging.transactional.send(send, key));
    expect(error).toMatchObject({ code: 'store_failed', retryable: false, cause: { name: 'TypeError' } });
  });

  test('says of a settlement only that it does not know, and that a second one does no harm', async () => {
    const { messaging } = await startSender(accepted, troubled({ get: failing }));
    const error = await rejection(messaging.transactional.settle(key.idempotencyKey, 'sent'));
    expect(error).toMatchObject({
      operation: 'transactional.settle',
      code: 'store_failed',
      outcome: 'unknown',
      retryable: true,
    });
    expect(String(error)).toBe(
      'IdempotencyError: transactional.settle does not know the state of the idempotency store, which failed (connect ECONNREFUSED, for +***50). Call again: that changes nothing twice.',
    );
  });
});

describe('unsettled', () => {
  test('needs a store that lists its keys', async () => {
    const { list: _, ...store } = createMemoryKeyValueStore();
    const { messaging } = await startSender(accepted, store);
    const error = await rejection(messaging.transactional.unsettled());
    expect(error).toMatchObject({ code: 'store_failed', retryable: false });
    expect(String(error)).toContain('it has no operation list, so its keys can only be settled by name');
  });

  test('closes a list that it does not read to its end', async () => {
    const memory = createMemoryKeyValueStore();
    let isOpen = false;
    const list = async function* (...given: readonly [string, string]) {
      isOpen = true;
      try {
        yield* memory.list?.(...given) ?? [];
      } finally {
        isOpen = false;
      }
    };
    const { messaging } = await startSender(faults.reset, troubled({ ...memory, list }));
    for (const idempotencyKey of ['order-1', 'order-2'])
      await rejection(messaging.transactional.send(send, { idempotencyKey }));
    for (const limit of [1, 2, 3]) {
      expect(await messaging.transactional.unsettled({ limit })).toHaveLength(Math.min(limit, 2));
      expect(isOpen).toBe(false);
    }
  });

  test.each([0, 1.5, Number.NaN, '10'])('refuses the limit %j', async (limit) => {
    const { messaging } = await startSender(accepted, createMemoryKeyValueStore());
    const error = await rejection(messaging.events.unsettled({ limit: untyped(limit) }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).toContain('events.unsettled was not sent: limit must be a whole number');
  });

  test('ends at its deadline, and when it is aborted', async () => {
    const clock = new ManualClock();
    const list = async function* () {
      await new Promise(() => {});
      yield { key: '', value: '' };
    };
    const { messaging } = await startSender(accepted, troubled({ list }));
    const client = messaging.withOptions({ clock });
    const late = rejection(client.transactional.unsettled({ timeout: 50 }));
    await clock.waitFor(1);
    clock.pass(50);
    expect(await late).toMatchObject({ code: 'store_failed', retryable: true });
    const stop = new AbortController();
    const aborted = rejection(client.transactional.unsettled({ signal: stop.signal }));
    await clock.waitFor(1);
    stop.abort('enough');
    expect(await aborted).toBe('enough');
    expect(clock.waiting).toBe(0);
  });
});

test('an error has the whole key for settle, and shows it masked', async () => {
  const { messaging } = await startSender(faults.reset, createMemoryKeyValueStore());
  const idempotencyKey = `spring-2026 ${send.phone}`;
  await rejection(messaging.transactional.send(send, { idempotencyKey }));
  const error = await rejection(messaging.transactional.send(send, { idempotencyKey }));
  if (!(error instanceof IdempotencyError)) throw error;
  expect(error.idempotencyKey).toBe(idempotencyKey);
  for (const shown of [error.message, JSON.stringify(error), inspect(error), inspect({ ...error })])
    expect(shown).not.toContain(send.phone.slice(1));
  expect(await messaging.transactional.settle(error.idempotencyKey ?? '', 'sent')).toBe(true);
});

test('a replay is logged as what it is', async () => {
  const lines: [string, object][] = [];
  const { messaging } = await startSender(accepted, createMemoryKeyValueStore());
  const logger = { info: (fields: object, message: string) => void lines.push([message, fields]) };
  const client = messaging.withOptions({ logger });
  await client.transactional.send(send, key);
  await client.transactional.send(send, key);
  const [, [message, fields] = ['', {}]] = lines;
  expect(message).toBe(
    'transactional.send was sent before, by an earlier call with its idempotency key, after 0 ms and 0 attempts',
  );
  expect(fields).toMatchObject({ requestId: 'req_1', attempts: 0 });
  expect(fields).not.toHaveProperty('status');
});

test('no error shows a phone that a key holds', async () => {
  const { messaging } = await startSender(faults.reset, createMemoryKeyValueStore());
  const options = { idempotencyKey: `${send.phone} order-1001` };
  await rejection(messaging.transactional.send(send, options));
  const error = await rejection(messaging.transactional.send(send, options));
  expect(String(error)).toContain('order-1001');
  expect(JSON.stringify(error)).not.toContain(send.phone.slice(1));
});

describe('a call that was paused for 15 seconds, and takes its key again by a command that', () => {
  /** A call whose process stands still while a guard is asked, over a store whose first replacement does as the test says. */
  async function pausedCall(replaceFirst: (replace: () => Promise<boolean>) => Promise<boolean>) {
    const [memory, clock] = [createMemoryKeyValueStore(), promptClock()];
    const replacements = [replaceFirst].values();
    const store = troubled({
      ...memory,
      replaceIfEqual(...given) {
        const replace = () => memory.replaceIfEqual(...given);
        return (replacements.next().value ?? ((work) => work()))(replace);
      },
    });
    const guard = {
      check() {
        clock.standStill(15_000);
        return undefined;
      },
    };
    const { another, requests } = await startSender(accepted, store);
    const call = another({ clock, guards: [guard] }).transactional.send(send, key);
    return { call, another, requests, memory };
  }

  test('takes place twice, sends once', async () => {
    const { call, another, requests } = await pausedCall(async (replace) => {
      await replace();
      return replace();
    });
    expect(await call).toEqual({ success: true });
    expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
    expect(requests).toHaveLength(1);
  });

  test.each<[string, (replace: () => Promise<boolean>) => Promise<boolean>]>([
    ['fails', failing],
    ['takes place and then fails', (replace) => replace().then(failing)],
  ])('%s, sends nothing and gives its key back', async (_, replaceFirst) => {
    const { call, another, requests, memory } = await pausedCall(replaceFirst);
    expect(await rejection(call)).toMatchObject({ code: 'store_failed', outcome: 'not_sent', attempts: 0 });
    expect(await listed(memory, 'send:', '')).toEqual([]);
    expect(await another().transactional.send(send, key)).toEqual({ success: true });
    expect(requests).toHaveLength(1);
  });
});

describe('with a key as without, a call ends with its own error, and leaves no timer behind:', () => {
  const refuse = () => Promise.reject(new Error('no'));
  test.each<[string, Behaviour, ClientOptions, string | undefined]>([
    ['one that is accepted', accepted, {}, undefined],
    ['one that is not confirmed', reply(200, { success: false }), {}, undefined],
    ['one that is rejected', reply(404, { error: { code: 'not_found' } }), {}, 'NotFoundError'],
    ['one whose connection breaks', faults.reset, {}, 'ConnectionError'],
    ['one whose service fails', reply(500, {}), {}, 'ServerError'],
    ['one that a guard holds back', accepted, { guards: [{ check: () => 'no' }] }, 'SendBlockedError'],
    ['one whose guard fails', accepted, { guards: [{ check: refuse }] }, 'SendGuardError'],
    ['one whose middleware fails', accepted, { middleware: [refuse] }, 'MiddlewareError'],
    ['one whose API key cannot be had', accepted, { apiKey: refuse }, 'ApiKeyUnavailableError'],
    [
      'one whose store fails',
      accepted,
      { idempotencyStore: troubled({ setIfAbsent: refuse }) },
      'IdempotencyError',
    ],
  ])('%s', async (_, behave, options, name) => {
    const clock = new ManualClock();
    const { another } = await startSender(behave, createMemoryKeyValueStore());
    const client = another({ clock, onDrift: () => {}, ...options });
    const [result] = await within('the end', Promise.allSettled([client.transactional.send(send, key)]));
    expect(result).toMatchObject(name === undefined ? { status: 'fulfilled' } : { reason: { name } });
    await settle();
    expect(clock.waiting).toBe(0);
  });

  test('one that is sent before', async () => {
    const clock = new ManualClock();
    const { messaging, another } = await startSender(accepted, createMemoryKeyValueStore());
    await messaging.transactional.send(send, key);
    expect(await another({ clock }).transactional.send(send, key)).toMatchObject({ replayed: true });
    expect(clock.waiting).toBe(0);
  });
});

test('a full store in memory forgets nothing: further sends are not made', async () => {
  const clock = new ManualClock();
  const { messaging, requests } = await startSender(
    accepted,
    createMemoryKeyValueStore({ maxEntries: 2, clock }),
  );
  const short = messaging.withOptions({ idempotencyRetention: 1_000 });
  await short.transactional.send(send, { idempotencyKey: '1' });
  const error = await rejection(short.transactional.send(send, { idempotencyKey: '2' }));
  expect(String(error)).toContain('Raise its maxEntries, which is 2');
  expect(requests).toHaveLength(1);
  clock.pass(30_000);
  expect(await short.transactional.send(send, { idempotencyKey: '2' })).toEqual({ success: true });
});
