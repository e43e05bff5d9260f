import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/foundation/clock.js';

describe('systemClock', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
  afterEach(() => void vi.useRealTimers());

  test('tells the time of the machine', () => {
    expect(systemClock.now()).toBe(1_000);
    vi.advanceTimersByTime(5);
    expect(systemClock.now()).toBe(1_005);
  });

  test('calls back once, after the delay', () => {
    const callback = vi.fn();
    systemClock.setTimer(callback, 10);
    vi.advanceTimersByTime(9);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  test('does not call back once cancelled, and may be cancelled late', () => {
    const callback = vi.fn();
    systemClock.setTimer(callback, 10)();
    vi.advanceTimersByTime(100);
    expect(callback).not.toHaveBeenCalled();
    const cancel = systemClock.setTimer(callback, 10);
    vi.advanceTimersByTime(10);
    cancel();
    cancel();
    expect(callback).toHaveBeenCalledTimes(1);
  });

  test('told to wait longer than setTimeout can, waits as long as it can and does not fire at once', () => {
    const callback = vi.fn();
    const month = 30 * 24 * 60 * 60 * 1_000;
    systemClock.setTimer(callback, month);
    vi.advanceTimersByTime(2 ** 31 - 2);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(month);
    expect(callback).toHaveBeenCalledTimes(1);
  });
});

test('systemClock has a time that does not jump when the time of the machine is set', () => {
  expect(systemClock.monotonic?.()).toBeLessThanOrEqual(performance.now());
});
