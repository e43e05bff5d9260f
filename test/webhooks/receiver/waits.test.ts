import { expect, test } from 'vitest';
import { Waits } from '../../../src/webhooks/receiver/waits.js';
import { ManualClock } from '../../server/support/manual-clock.js';
import { settled } from './receive.js';

function waitsOf() {
  const clock = new ManualClock();
  const ended: string[] = [];
  const waits = new Waits(clock);
  const start = (name: string, milliseconds = 100) => waits.start(milliseconds, () => ended.push(name));
  return { clock, ended, start, waits };
}

test('many waits of one length have one timer, and each ends at its time', () => {
  const { clock, ended, start } = waitsOf();
  start('a');
  clock.pass(40);
  start('b');
  start('c');
  expect(clock.waiting).toBe(1);
  clock.pass(60);
  expect(ended).toEqual(['a']);
  clock.pass(39);
  expect(ended).toEqual(['a']);
  clock.pass(1);
  expect(ended).toEqual(['a', 'b', 'c']);
  expect(clock.waiting).toBe(0);
});

test('a wait that is cancelled does not end, and the others end at their times', () => {
  const { clock, ended, start } = waitsOf();
  const cancel = start('a');
  clock.pass(40);
  start('b');
  cancel();
  cancel();
  clock.pass(60);
  expect(ended).toEqual([]);
  clock.pass(40);
  expect(ended).toEqual(['b']);
  expect(clock.waiting).toBe(0);
});

test('there is no timer once the last wait is cancelled, and the next wait has its whole length', () => {
  const { clock, ended, start } = waitsOf();
  start('a')();
  expect(clock.waiting).toBe(0);
  clock.pass(40);
  start('b');
  clock.pass(99);
  expect(ended).toEqual([]);
  clock.pass(1);
  expect(ended).toEqual(['b']);
});

test('a wait that begins while others end has its whole length, and one timer', () => {
  const { clock, ended, start, waits } = waitsOf();
  waits.start(100, () => {
    ended.push('a');
    start('again');
  });
  start('b');
  clock.pass(100);
  expect(ended).toEqual(['a', 'b']);
  expect(clock.waiting).toBe(1);
  clock.pass(99);
  expect(ended).toHaveLength(2);
  clock.pass(1);
  expect(ended).toEqual(['a', 'b', 'again']);
  expect(clock.waiting).toBe(0);
});

test('a wait that begins and is cancelled while the last one ends leaves no timer', () => {
  const { clock, start, waits } = waitsOf();
  waits.start(100, () => start('b')());
  clock.pass(100);
  expect(clock.waiting).toBe(0);
  waits.start(100, () => {
    start('c')();
    start('d');
  });
  clock.pass(100);
  expect(clock.waiting).toBe(1);
});

test('a wait counts from when it began, which may be before now', () => {
  const { clock, ended, waits } = waitsOf();
  const began = waits.now();
  clock.pass(30);
  waits.start(100, () => ended.push('a'), began);
  clock.pass(69);
  expect(ended).toEqual([]);
  clock.pass(1);
  expect(ended).toEqual(['a']);
});

test('waits follow the steady time, whatever becomes of the clock of the machine', () => {
  const clock = new ManualClock();
  let set = 0;
  const ended: string[] = [];
  const waits = new Waits({
    now: () => clock.now() + set,
    monotonic: () => clock.now(),
    setTimer: (callback, delay) => clock.setTimer(callback, delay),
  });
  waits.start(100, () => ended.push('a'));
  clock.pass(50);
  set = -3_600_000;
  waits.start(100, () => ended.push('b'));
  clock.pass(50);
  set = 3_600_000;
  expect(ended).toEqual(['a']);
  clock.pass(49);
  expect(ended).toEqual(['a']);
  clock.pass(1);
  expect(ended).toEqual(['a', 'b']);
});

test('atMost leaves no timer, whether the work or the time ends first', async () => {
  const { clock, waits } = waitsOf();
  expect(await waits.atMost(100, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(waits.atMost(100, Promise.reject(new Error('no room')), () => 'late')).rejects.toThrow(
    'no room',
  );
  const late = waits.atMost(100, new Promise(() => {}), () => 'late');
  clock.pass(100);
  expect(await late).toBe('late');
  const refused = waits.atMost(100, new Promise(() => {}), () => {
    throw new Error('too late');
  });
  clock.pass(100);
  await expect(refused).rejects.toThrow('too late');
  expect(clock.waiting).toBe(0);
});

test('a pause ends with its time, or with the change', async () => {
  const { clock, waits } = waitsOf();
  const paused = waits.pause(100);
  clock.pass(100);
  await paused;
  await waits.pause(100, Promise.resolve());
  await settled();
  expect(clock.waiting).toBe(0);
});
