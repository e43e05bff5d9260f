import { unsharedRules } from '../../faults/workspace-faults.js';
import { unsharedTime } from '../../time/clock.js';
import type { SharedParts } from '../assemble.js';
import type { Sharing } from './sharing.js';

/** A workspace that no other process shares. */
export function unshared({ history, workspace }: SharedParts): Sharing {
  const nothing = async () => {};
  return {
    time: unsharedTime,
    rules: unsharedRules,
    record: (entry) => history.record(entry),
    clearJournal: async () => history.clear(),
    startAt(time, start) {
      const { clock } = workspace();
      clock.setTimer(start, Math.max(0, time - clock.now()));
    },
    resume: (byTimers) => byTimers(),
    current: () => undefined,
    conditions: () => undefined,
    conditionsOf: nothing,
    changed: nothing,
    keepFailure: () => {},
    throwFailure: () => {},
    written: nothing,
    isIdle: async () => true,
    notice: () => {},
    returned: () => {},
  };
}
