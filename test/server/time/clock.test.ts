import { describe, expect, test } from 'vitest';
import { rounded } from '../../../src/server/time/clock.js';
import { clockOf } from '../support/clock.js';
import { ManualClock } from '../support/manual-clock.js';
import { reply } from '../support/receiver.js';
import { phone, startServer } from '../support/reference.js';
import { deliverTo } from '../support/subscribed.js';

const invalid = [-1, Number.NaN, '10', '-1s', '1 s', '.5s', '١s', null, '36525.1d', 8.64e15];

describe("a server's clock", () => {
  test('flowing runs with the machine, and ahead of it once moved', async () => {
    const machine = new ManualClock();
    const { clock } = startServer({ clock: 'flowing', systemClock: machine });
    const start = machine.now();
    machine.pass(1_000);
    expect(clock.now()).toBe(start + 1_000);
    await clock.advance('1h');
    machine.pass(1);
    expect(clock.now()).toBe(start + 1_000 + 3_600_000 + 1);
  });

  test('flowing reaches what the work that is due now waits for', async () => {
    const machine = new ManualClock();
    const happened: string[] = [];
    const work = [() => clock.setTimer(() => happened.push('a day later'), 86_400_000)];
    const clock = clockOf(machine, 'flowing', async () => {
      machine.pass(3);
      work.pop()?.();
    });
    await clock.advance('1d');
    expect(happened).toEqual(['a day later']);
  });

  test('flowing is not moved back where more time passed by itself than it was to be moved', async () => {
    const machine = new ManualClock();
    const clock = clockOf(machine, 'flowing', () => Promise.resolve());
    const start = clock.now();
    clock.setTimer(() => machine.pass(5_000), 1_000);
    await clock.advance('2s');
    expect(clock.now()).toBe(start + 1_000 + 5_000);
  });

  test.each([
    [250, 250],
    [0.4, 0],
    [1.5, 2],
    ['36525d', 36_525 * 86_400_000],
    ['250ms', 250],
    ['1.5s', 1_500],
    ['1m', 60_000],
    ['1d', 86_400_000],
  ] as const)('moves by %s', async (duration, milliseconds) => {
    const { clock } = startServer();
    const start = clock.now();
    await clock.advance(duration);
    expect(clock.now() - start).toBe(milliseconds);
  });

  test.each(invalid)('does not move by %j', async (duration) => {
    const { clock } = startServer();
    const start = clock.now();
    await expect(Reflect.apply(clock.advance, clock, [duration])).rejects.toThrow(/^Not a duration: .*'10s'/);
    expect(clock.now()).toBe(start);
    await clock.advance('1s');
    expect(clock.now()).toBe(start + 1_000);
  });

  test('has room for all that waits at its last instant: the snapshot restores', async () => {
    const server = startServer({
      clock: 'frozen',
      now: '9899-12-31T23:59:59Z',
      contacts: [{ phone }],
      journeys: [{ id: 'later', event: 'seen', steps: [{ wait: '3650d' }] }],
    });
    await server.client.events.track({ event: 'seen', phone });
    const snapshot = await server.snapshot();
    expect(snapshot.journeyRuns).toMatchObject([{ status: 'waiting' }]);
    await server.restore(JSON.parse(JSON.stringify(snapshot)));
    expect(new Date(server.clock.next ?? 0).getUTCFullYear()).toBe(9909);
  });

  test('goes no further than the year 9899, and goes on working', async () => {
    const { clock } = startServer({ clock: 'frozen', now: '9899-12-31T23:59:59Z' });
    await expect(clock.advance('1s')).rejects.toThrow('The clock cannot be moved beyond the year 9899.');
    await clock.advance('999ms');
    expect(new Date(clock.now()).toISOString()).toBe('9899-12-31T23:59:59.999Z');
    await expect(clock.set(clock.now() + 1)).rejects.toThrow(/^Not an instant: /);
  });

  test.each(['2026-02-30', '10000-01-01', 1.5, Number.NaN, new Date('x')])(
    'is not set to %j',
    async (instant) => {
      const { clock } = startServer({ now: '2026-01-01' });
      await expect(clock.set(instant)).rejects.toThrow(/^Not an instant: /);
    },
  );
});

describe("a server's clock that freezes and flows", () => {
  test('makes a retry that waits in either way, once', async () => {
    const machine = new ManualClock();
    const { receiver, server, deliver } = await deliverTo([reply(500)], {
      clock: 'flowing',
      systemClock: machine,
    });
    await deliver();
    await server.clock.freeze();
    expect(machine.waiting).toBe(0);
    machine.pass(60_000);
    await server.settled();
    expect(receiver.received).toHaveLength(1);
    await server.clock.flow();
    machine.pass(9_999);
    await server.settled();
    expect(receiver.received).toHaveLength(1);
    machine.pass(1);
    await server.settled();
    expect(receiver.received).toHaveLength(2);
    await server.clock.freeze();
    await server.clock.advance('60s');
    expect(receiver.received).toHaveLength(3);
  });

  test('tells of the change, and only of a change', async () => {
    const server = startServer();
    await server.snapshot(); // it is ready then
    let changes = 0;
    server.onChange(() => {
      changes += 1;
    });
    await server.clock.freeze();
    expect(changes).toBe(0);
    await server.clock.flow();
    expect(changes).toBe(1);
    await server.clock.flow();
    expect(changes).toBe(1);
    await server.clock.freeze();
    expect(changes).toBe(2);
  });

  test('keeps what its moves began in their order', async () => {
    const machine = new ManualClock();
    const { clock } = startServer({ systemClock: machine });
    const start = clock.now();
    const fired: string[] = [];
    clock.setTimer(() => void fired.push(`at ${clock.now() - start}, frozen: ${clock.isFrozen}`), 1_000);
    await Promise.all([clock.advance('1s'), clock.flow(), clock.advance('1s'), clock.freeze()]);
    expect(fired).toEqual(['at 1000, frozen: true']);
    expect([clock.now() - start, clock.isFrozen]).toEqual([2_000, true]);
  });
});

describe('SteerableClock', () => {
  const settled = async () => {};

  test('fires timers in the order of their times, and those of one time in the order they were set', async () => {
    const clock = clockOf(new ManualClock(), 'frozen', settled);
    const fired: string[] = [];
    const start = clock.now();
    const note = (name: string) => () => void fired.push(`${name} at ${clock.now() - start}`);
    clock.setTimer(note('c'), 30);
    clock.setTimer(note('a'), 10);
    clock.setTimer(note('b'), 10);
    const cancel = clock.setTimer(note('cancelled'), 20);
    clock.setTimer(() => {
      note('d')();
      clock.setTimer(note('e'), 5);
      clock.setTimer(note('too late'), 50);
    }, 15);
    cancel();
    cancel();
    await clock.advance(40);
    expect(fired).toEqual(['a at 10', 'b at 10', 'd at 15', 'e at 20', 'c at 30']);
    expect(clock.now() - start).toBe(40);
    await clock.advance(24);
    expect(fired).toHaveLength(5);
    await clock.advance(1);
    expect(fired.at(-1)).toBe('too late at 65');
  });

  test('lets each step settle before it moves to the next', async () => {
    const steps: string[] = [];
    const clock = clockOf(new ManualClock(), 'frozen', async () => {
      await Promise.resolve();
      steps.push('settled');
    });
    clock.setTimer(() => void steps.push('one'), 10);
    clock.setTimer(() => void steps.push('two'), 20);
    await clock.advance(20);
    expect(steps).toEqual(['settled', 'one', 'settled', 'two', 'settled']);
  });

  test('lets each of two timers with one time settle', async () => {
    const steps: string[] = [];
    const clock = clockOf(new ManualClock(), 'frozen', async () => void steps.push('settled'));
    clock.setTimer(() => void steps.push('one'), 10);
    clock.setTimer(() => void steps.push('two'), 10);
    await clock.advance(10);
    expect(steps).toEqual(['settled', 'one', 'settled', 'two', 'settled']);
  });

  test('goes on after a timer has thrown', async () => {
    const clock = clockOf(new ManualClock(), 'frozen', settled);
    clock.setTimer(() => {
      throw new Error('kaputt');
    }, 10);
    await expect(clock.advance(20)).rejects.toThrow('kaputt');
    await expect(clock.advance(20)).resolves.toBeUndefined();
  });

  test('flowing asks the machine for the earliest timer alone', () => {
    const machine = new ManualClock();
    const clock = clockOf(machine, 'flowing', settled);
    const fired: number[] = [];
    const cancel = clock.setTimer(() => void fired.push(1), 10);
    clock.setTimer(() => void fired.push(2), 20);
    clock.setTimer(() => void fired.push(3), 20);
    expect(machine.waiting).toBe(1);
    cancel();
    machine.pass(10);
    expect(fired).toEqual([]);
    machine.pass(10);
    expect(fired).toEqual([2, 3]);
    expect(machine.waiting).toBe(0);
  });

  test('stopped forgets its timers and takes no more', async () => {
    const machine = new ManualClock();
    const clock = clockOf(machine, 'flowing', settled);
    const fired: number[] = [];
    clock.setTimer(() => void fired.push(1), 10);
    clock.stop();
    const cancel = clock.setTimer(() => void fired.push(2), 10);
    expect(machine.waiting).toBe(0);
    cancel();
    await clock.advance(100);
    expect(fired).toEqual([]);
  });

  test('frozen does what was due by then, though the machine had not told of it', async () => {
    const machine = new ManualClock();
    const late = { now: () => machine.now(), setTimer: () => () => {} };
    const clock = clockOf(late, 'flowing', settled);
    const start = clock.now();
    const fired: string[] = [];
    clock.setTimer(() => void fired.push(`second at ${clock.now() - start}`), 20);
    clock.setTimer(() => void fired.push(`first at ${clock.now() - start}`), 10);
    clock.setTimer(() => void fired.push('too early'), 40);
    machine.pass(30);
    await clock.freeze();
    expect(fired).toEqual(['first at 30', 'second at 30']);
    expect(clock.next).toBe(start + 40);
  });

  test('that is set to another time has no timer of before, and fires those of afterwards', async () => {
    const clock = clockOf(new ManualClock(), 'frozen', settled);
    const fired: string[] = [];
    clock.setTimer(() => void fired.push('before'), 10);
    clock.setTimer(() => void fired.push('before, later'), 1_000);
    await clock.jump(clock.now() - 5_000);
    expect(clock.next).toBeUndefined();
    clock.setTimer(() => void fired.push('afterwards'), 10);
    await clock.advance('1h');
    expect(fired).toEqual(['afterwards']);
  });

  test('is saved in whole milliseconds', () => {
    expect(rounded({ flow: 'frozen', now: 0.4 })).toEqual({ flow: 'frozen', now: 0 });
    expect(rounded({ flow: 'flowing', ahead: 1.5 })).toEqual({ flow: 'flowing', ahead: 2 });
  });
});
