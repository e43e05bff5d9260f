import { unsharedRules } from '../../faults/workspace-faults.js';
import { type SteerableClock, unsharedTime } from '../../time/clock.js';
import type { History } from '../history.js';
import type { Sharing } from './sharing.js';

/** A workspace that no other process shares. */
export function unshared(history: History, clock: () => SteerableClock): Sharing {
  const nothing = async () => {};
  return {
    time: unsharedTime,
    rules: unsharedRules,
    record: (entry) => history.record(entry),
    clearJournal: async () => history.clear(),
    startAt: (time, start) => void clock().setTimer(start, Math.max(0, time - clock().now())),
    resume: (byTimers) => byTimers(),
    current: () => undefined,
    conditions: () => undefined,
    conditionsOf: nothing,
    changed: nothing,
    written: nothing,
    isIdle: async () => true,
    readBeginning: async () => undefined,
    notice: () => {},
    returned: () => {},
  };
}
