import { describe, expect, test } from 'vitest';
import type { TurnStore } from '../../../src/webhooks/dedupe/dedupe-store.js';
import { createMemoryDedupeStore } from '../../../src/webhooks/dedupe/memory-dedupe-store.js';
import { readRecord } from '../../../src/webhooks/order/turn-record.js';
import { ContactTurns } from '../../../src/webhooks/order/turns.js';
import { ManualClock } from '../../server/support/manual-clock.js';
import { settle, withResolvers } from '../../waiting.js';

const contact = 'contact-1';
const [lease, ttl] = [30_000, 3_600_000];

/** A process over the store in memory, which responds at once, or later. */
function createProcesses({ mostWaiting = 100, isAtOnce = false, changes = {} as Partial<TurnStore> } = {}) {
  const clock = new ManualClock();
  const shared = createMemoryDedupeStore({ clock });
  const calls: string[] = [];
  const { turns } = shared;
  if (turns === undefined) throw new Error('The store has no turns.');
  const store: TurnStore = { ...(isAtOnce ? turns : later(turns, calls)), ...changes };
  const createTurns = () => new ContactTurns({ store, clock, ttl, mostWaiting });
  let deliveries = 0;
  /** A delivery of the contact that is claimed and waits, and what its turn says. */
  const deliver = (process: ContactTurns, timestamp: number, group = contact) => {
    deliveries += 1;
    const [key, holder] = [`delivery:${deliveries}`, `holder ${deliveries}`];
    shared.claim(key, { holder, lease });
    const turn = process.join(group, { timestamp, key, holder });
    if (turn === undefined) return undefined;
    const delivery = { turn, hasBegun: false, key, holder, begun: turn.begin() };
    Promise.resolve(delivery.begun).then((hasTurn) => {
      delivery.hasBegun = hasTurn;
    });
    return delivery;
  };
  const handled = (delivery: ReturnType<typeof deliver>) => {
    if (delivery === undefined) throw new Error('There is no delivery.');
    const { key, holder, turn } = delivery;
    shared.commit(key, { holder, ttl });
    return turn.leave({ handled: true });
  };
  const record = () => readRecord(turns.read(`turn:${contact}`));
  return { clock, shared, turns, calls, createTurns, deliver, handled, record };
}

/** The same operations with promises, whose names are noted. */
function later({ read, replace, stateOf }: TurnStore, calls: string[]): TurnStore {
  return {
    async read(...words) {
      calls.push('read');
      return read(...words);
    },
    async replace(...words) {
      calls.push('replace');
      return replace(...words);
    },
    async stateOf(...words) {
      calls.push('stateOf');
      return stateOf(...words);
    },
  };
}

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 50) {
    await settle();
    clock.pass(50);
  }
  await settle();
}

describe('in one process, over a store that responds at once', () => {
  test('a delivery alone begins and leaves without a promise', () => {
    const { createTurns, deliver, handled, clock } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    const delivery = deliver(process, 1);

    expect(delivery?.begun).toBe(true);
    expect(delivery?.turn.isLate).toBe(false);
    expect(handled(delivery)).toBeUndefined();
    expect([process.size, clock.waiting]).toEqual([0, 0]);
  });

  test('the next one begins when the first leaves, oldest first, and without a timer', async () => {
    const { createTurns, deliver, handled, clock } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    const [first, newest, middle, older] = [5, 4, 3, 2].map((timestamp) => deliver(process, timestamp));
    const order = [first, older, middle, newest];
    for (const [index, delivery] of order.entries()) {
      await settle();
      expect(order.map((each) => each?.hasBegun)).toEqual(order.map((_, each) => each <= index));
      expect(delivery?.turn.isLate).toBe(index > 0);
      handled(delivery);
    }
    expect([process.size, clock.waiting]).toEqual([0, 0]);
  });

  test('those of the same time begin as they came', async () => {
    const { createTurns, deliver, handled } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    const deliveries = [1, 1, 1].map((timestamp) => deliver(process, timestamp));
    for (const delivery of deliveries) {
      await settle();
      expect([delivery?.hasBegun, delivery?.turn.isLate]).toEqual([true, false]);
      handled(delivery);
    }
  });

  test('another contact does not wait', () => {
    const { createTurns, deliver } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    deliver(process, 1);

    expect(deliver(process, 2, 'contact-2')?.begun).toBe(true);
  });

  test('a delivery that failed makes no other one late', () => {
    const { createTurns, deliver, shared } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    const failed = deliver(process, 2);
    if (failed === undefined) throw new Error('There is no delivery.');
    shared.release(failed.key, { holder: failed.holder });
    failed.turn.leave({ handled: false });

    expect(deliver(process, 1)?.turn.isLate).toBe(false);
  });

  test('one that gives up waiting ends without a turn, and the others move up', async () => {
    const { createTurns, deliver, handled } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    const [first, second, third] = [1, 2, 3].map((timestamp) => deliver(process, timestamp));
    second?.turn.leave({ handled: true });
    expect(await second?.begun).toBe(false);
    handled(first);
    await settle();
    expect([second?.hasBegun, third?.hasBegun, third?.turn.isLate]).toEqual([false, true, false]);
    handled(third);
    third?.turn.leave({ handled: false });
    expect(process.size).toBe(0);
  });

  test('one that left before it began leaves nothing behind', () => {
    const { createTurns, record } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    const turn = process.join(contact, { timestamp: 1, key: 'delivery:1', holder: 'a' });
    turn?.leave({ handled: false });

    expect(turn?.begin()).toBe(false);
    expect(process.size).toBe(0);
    expect(record()).toEqual({ waiting: [] });
  });

  test('no more wait than may', () => {
    const { createTurns, deliver, handled } = createProcesses({ isAtOnce: true, mostWaiting: 2 });
    const process = createTurns();
    const [first, ...others] = [1, 2, 3, 4].map((timestamp) => deliver(process, timestamp));

    expect(others.map((each) => each === undefined)).toEqual([false, false, true]);
    expect(deliver(process, 5, 'contact-2')?.begun).toBe(true);
    handled(first);
    expect(deliver(process, 5)).toBeDefined();
  });

  test('a time that is no number is the oldest', () => {
    const { createTurns, deliver, handled, record } = createProcesses({ isAtOnce: true });
    const process = createTurns();
    handled(deliver(process, 1));
    const delivery = deliver(process, Number.NaN);

    expect([delivery?.begun, delivery?.turn.isLate, record().turn?.timestamp]).toEqual([true, true, 0]);
  });
});

describe('over a network', () => {
  test('a delivery alone needs one read and one replacement, and the read before the claim is used', async () => {
    const { createTurns, handled, deliver, calls, shared } = createProcesses();
    const process = createTurns();
    const turn = process.join(contact, { timestamp: 1, key: 'delivery:a', holder: 'a' });
    turn?.prefetch();
    turn?.prefetch();
    expect(calls).toEqual(['read']);
    shared.claim('delivery:a', { holder: 'a', lease });
    expect(await turn?.begin()).toBe(true);
    expect(calls).toEqual(['read', 'replace']);
    expect(turn?.leave({ handled: true })).toBeUndefined();
    const next = deliver(process, 2);
    await settle();
    await handled(next);
    expect(calls).toEqual(['read', 'replace', 'read', 'replace']);
    await settle();
    expect(process.size).toBe(0);
  });

  test('the process that had the last turn of a contact need not ask what has become of it, for a thousand contacts', async () => {
    const { createTurns, deliver, handled, calls } = createProcesses();
    const process = createTurns();
    const turnOf = async (index: number) => {
      const delivery = deliver(process, index, `contact-${index}`);
      await settle();
      expect(delivery?.hasBegun).toBe(true);
      await handled(delivery);
      await settle();
    };
    for (let index = 0; index <= 1_000; index += 1) await turnOf(index);
    calls.length = 0;
    await turnOf(1_000);
    expect(calls).toEqual(['read', 'replace']);
    await turnOf(0);
    expect(calls).toEqual(['read', 'replace', 'read', 'stateOf', 'replace']);
  });

  test('one replacement hands the turn to the next of the process', async () => {
    const { createTurns, deliver, handled, calls } = createProcesses();
    const process = createTurns();
    const deliveries = Array.from({ length: 100 }, (_, index) => deliver(process, index));
    for (const delivery of deliveries) {
      await settle();
      expect(delivery?.hasBegun).toBe(true);
      await handled(delivery);
    }
    expect(calls).toEqual(['read', ...deliveries.map(() => 'replace')]);
    await settle();
    expect(process.size).toBe(0);
  });

  test('two processes take turns by time, and the wait for the other is short and bounded', async () => {
    const { createTurns, deliver, handled, clock, record } = createProcesses();
    const [one, other] = [createTurns(), createTurns()];
    const first = deliver(one, 1);
    await settle();
    const [third, second] = [deliver(one, 3), deliver(other, 2)];
    await pass(clock, 10_000);
    expect([first, second, third].map((each) => each?.hasBegun)).toEqual([true, false, false]);
    expect(record().waiting).toHaveLength(1);
    await handled(first);
    await pass(clock, 550);
    expect([second?.hasBegun, third?.hasBegun]).toEqual([true, false]);
    await handled(second);
    await pass(clock, 550);
    expect(third?.hasBegun).toBe(true);
    await handled(third);
    await pass(clock, 550);
    expect([one.size, other.size, clock.waiting]).toEqual([0, 0, 0]);
    expect(record()).toMatchObject({ turn: { timestamp: 3 }, waiting: [], newest: 2 });
  });

  test('an older delivery takes the place of the one that waits, in the record too', async () => {
    const { createTurns, deliver, handled, clock, record } = createProcesses();
    const [one, other] = [createTurns(), createTurns()];
    const first = deliver(one, 1);
    await settle();
    const newer = deliver(other, 5);
    await settle();
    const older = deliver(other, 3);
    await settle();
    expect(record().waiting.map(({ timestamp }) => timestamp)).toEqual([3]);
    await handled(first);
    await pass(clock, 550);
    expect([older?.hasBegun, newer?.hasBegun]).toEqual([true, false]);
  });

  test('while others wait, looks become rarer: two in a second', async () => {
    const { createTurns, deliver, clock, calls } = createProcesses();
    deliver(createTurns(), 1);
    await settle();
    deliver(createTurns(), 2);
    await pass(clock, 5_000);
    calls.length = 0;
    await pass(clock, 10_000);

    expect(calls.filter((call) => call === 'read').length).toBeGreaterThan(15);
    expect(calls.filter((call) => call === 'read').length).toBeLessThanOrEqual(20);
    expect(calls).not.toContain('replace');
  });

  test('after a change, looks are frequent again', async () => {
    const { createTurns, deliver, handled, clock, calls } = createProcesses();
    const first = deliver(createTurns(), 1);
    await settle();
    deliver(createTurns(), 3);
    await pass(clock, 5_000);
    deliver(createTurns(), 2);
    await handled(first);
    calls.length = 0;
    await pass(clock, 600); // the next look of the last one sees the change

    expect(calls.filter((call) => call === 'read').length).toBeGreaterThanOrEqual(4);
  });

  test('one that has the turn and has not begun lets an older one go first', async () => {
    const { createTurns, deliver, handled, clock, record } = createProcesses();
    const one = createTurns();
    const first = deliver(one, 1);
    await settle();
    const newer = deliver(createTurns(), 5);
    deliver(one, 9);
    await pass(clock, 5_000);
    await handled(first);
    expect(record().turn?.timestamp).toBe(5);
    const older = deliver(createTurns(), 3);
    await pass(clock, 1_000);

    expect([newer?.hasBegun, older?.hasBegun]).toEqual([false, true]);
  });

  test('those of the same time get the turn as they came', async () => {
    const { createTurns, deliver, handled, clock, record } = createProcesses();
    const first = deliver(createTurns(), 1);
    await settle();
    const others = [createTurns(), createTurns(), createTurns()].map((process) => deliver(process, 2));
    await pass(clock, 1_000);
    expect(record().waiting.map(({ holder }) => holder)).toEqual(others.map((each) => each?.holder));
    await handled(first);
    await pass(clock, 1_000);
    expect(others.map((each) => each?.hasBegun)).toEqual([true, false, false]);
  });

  test('a hundred wait in the record, and further ones beside it', async () => {
    const { createTurns, deliver, handled, clock, record, turns } = createProcesses();
    const deliveries = Array.from({ length: 103 }, (_, index) => deliver(createTurns(), index));
    await pass(clock, 5_000);
    expect(JSON.parse(`${turns.read(`turn:${contact}`)}`).waiting).toHaveLength(100);
    for (const delivery of deliveries.slice(0, 2)) await handled(delivery);
    await pass(clock, 600);
    expect([record().turn?.timestamp, record().waiting.length]).toEqual([2, 100]);
  });

  test('one that gives up while it enters leaves nothing in the record', async () => {
    const gate = withResolvers();
    const { createTurns, deliver, turns, record } = createProcesses({
      changes: { replace: (...words) => gate.promise.then(() => turns.replace(...words)) },
    });
    const process = createTurns();
    const delivery = deliver(process, 1);
    await settle();
    const left = delivery?.turn.leave({ handled: false });
    gate.resolve();
    await left;
    await settle();

    expect([record().turn, process.size]).toEqual([undefined, 0]);
  });

  test('what gives up waiting was not handled, whatever it says', async () => {
    const { createTurns, deliver, handled, clock } = createProcesses();
    const first = deliver(createTurns(), 1);
    await settle();
    const impatient = deliver(createTurns(), 5);
    await settle();
    await impatient?.turn.leave({ handled: true });
    await handled(first);
    const next = deliver(createTurns(), 2);
    await pass(clock, 100);

    expect([next?.hasBegun, next?.turn.isLate]).toEqual([true, false]);
  });

  test('one whose claim ended while it ran makes an older one of its process late when it ends', async () => {
    const { createTurns, deliver, handled, clock } = createProcesses();
    const process = createTurns();
    const blocked = deliver(process, 5);
    await settle();
    clock.pass(lease);
    const other = deliver(createTurns(), 1);
    await settle();
    expect([other?.hasBegun, other?.turn.isLate]).toEqual([true, false]);
    await handled(blocked);
    await handled(other);
    const next = deliver(process, 2);
    await settle();
    expect([next?.hasBegun, next?.turn.isLate]).toEqual([true, true]);
  });

  test('a reply that comes too late changes nothing', async () => {
    const gates: (() => void)[] = [];
    const { createTurns, deliver, clock, turns, calls } = createProcesses({
      changes: {
        read: (name) =>
          new Promise((resolve) => {
            const text = turns.read(name);
            gates.push(() => resolve(text));
          }),
      },
    });
    const delivery = deliver(createTurns(), 1);
    await pass(clock, 5_100);
    const [late, inTime] = gates;
    inTime?.();
    await settle();
    expect([delivery?.hasBegun, calls]).toEqual([true, ['replace']]);
    late?.();
    await settle();
    expect(calls).toEqual(['replace']);
  });

  test('one whose process is dead is passed over when its claim has ended', async () => {
    const { createTurns, deliver, clock, shared } = createProcesses();
    const [one, other] = [createTurns(), createTurns()];
    deliver(one, 1);
    const waiting = deliver(other, 2);
    if (waiting === undefined) throw new Error('There is no delivery.');
    await pass(clock, lease / 2);
    expect(waiting.hasBegun).toBe(false);
    shared.renew(waiting.key, { holder: waiting.holder, lease });
    await pass(clock, lease / 2 + 500);

    expect([waiting.hasBegun, waiting.turn.isLate]).toEqual([true, false]);
  });

  test('one that died after it was handled makes an older one late', async () => {
    const { createTurns, deliver, clock, shared } = createProcesses();
    const dead = deliver(createTurns(), 2);
    await settle();
    if (dead === undefined) throw new Error('There is no delivery.');
    shared.commit(dead.key, { holder: dead.holder, ttl });
    const older = deliver(createTurns(), 1);
    await pass(clock, 50);

    expect([older?.hasBegun, older?.turn.isLate]).toEqual([true, true]);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('The store is away.')), 'The store is away.'],
    [
      'throws',
      () => {
        throw new Error('The store is away.');
      },
      'The store is away.',
    ],
    [
      'does not respond',
      () => new Promise<never>(() => {}),
      'The dedupe store did not respond within 5000 ms.',
    ],
  ])(
    'while the store %s, a delivery waits, says why, and begins when it is back',
    async (_, read, message) => {
      let isAway = true;
      const { createTurns, deliver, clock, turns } = createProcesses({
        changes: { read: (name) => (isAway ? read() : turns.read(name)) },
      });
      const process = createTurns();
      const delivery = deliver(process, 1);
      await pass(clock, 6_000);
      expect(delivery?.hasBegun).toBe(false);
      expect(delivery?.turn.failure).toMatchObject({ message });
      isAway = false;
      await pass(clock, 6_000);
      expect([delivery?.hasBegun, delivery?.turn.failure]).toEqual([true, undefined]);
    },
  );

  test.each([
    ['fails', () => Promise.reject(new Error('The store is away.'))],
    ['does not respond', () => new Promise<never>(() => {})],
    ['says that the record changed each time', async () => false],
  ])('leaving ends if the store %s, and the process keeps nothing', async (_, replace) => {
    let isAway = false;
    const { createTurns, deliver, handled, clock, turns } = createProcesses({
      changes: { replace: (...words) => (isAway ? replace() : turns.replace(...words)) },
    });
    const process = createTurns();
    const delivery = deliver(process, 1);
    await settle();
    isAway = true;
    const left = handled(delivery);
    await pass(clock, 30_000);
    await left;
    expect([process.size, clock.waiting]).toEqual([0, 0]);
    isAway = false;
    const older = deliver(process, 0);
    await settle();
    expect([older?.hasBegun, older?.turn.isLate]).toEqual([true, true]);
  });

  test.each(['read', 'replace', 'stateOf'])(
    'a store whose %s returns nonsense starts nobody twice',
    async (operation) => {
      const { createTurns, deliver, clock } = createProcesses({
        changes: { [operation]: async () => 'OK' },
      });
      const first = deliver(createTurns(), 1);
      await settle();
      const second = deliver(createTurns(), 2);
      await pass(clock, 1_000);

      expect(first?.hasBegun && second?.hasBegun).toBe(false);
    },
  );
});

describe('a damaged record', () => {
  const place = { timestamp: 1, key: 'delivery:dead', holder: 'dead' };
  test.each([
    '',
    'null',
    '[]',
    '7',
    '{',
    '{"waiting":{}}',
    '{"turn":{"timestamp":"1","key":"a","holder":"b"},"waiting":[null,7,{"timestamp":1}],"newest":"7"}',
    JSON.stringify({ turn: { ...place, key: 'a'.repeat(201) }, waiting: [] }),
    JSON.stringify({ waiting: Array.from({ length: 1_000 }, () => place) }),
    JSON.stringify({ turn: place, waiting: [place], newest: 1, more: true }),
    'a'.repeat(200_000),
  ])('begins anew: %#', async (text) => {
    const { createTurns, deliver, handled, turns, record, clock } = createProcesses();
    turns.replace(`turn:${contact}`, undefined, text, ttl);
    const process = createTurns();
    const delivery = deliver(process, 5);
    await pass(clock, 50); // a record that is full of the dead has room then
    expect([delivery?.hasBegun, delivery?.turn.isLate]).toEqual([true, false]);
    await handled(delivery);
    expect(record()).toMatchObject({ turn: { timestamp: 5 }, waiting: [] });
    await settle();
    expect(process.size).toBe(0);
  });
});
