import type { JournalEntry } from '../../../src/server/model/journal-entry.js';
import { defaultSpecGaps, type SpecGaps } from '../../../src/server/model/spec-gaps.js';
import type { WorkspaceContext } from '../../../src/server/service/context.js';
import { OwnAdmissions } from '../../../src/server/service/rate-limit.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import type { SteerableClock } from '../../../src/server/time/clock.js';
import { Work } from '../../../src/server/time/work.js';
import { clockOf } from './clock.js';
import { ManualClock } from './manual-clock.js';

/** What rules work with, in a test's hands. */
export interface TestContext extends WorkspaceContext {
  readonly clock: SteerableClock;
  /** What went wrong in work that nobody waits for. */
  readonly failures: readonly unknown[];
  /** What was noted. */
  readonly entries: readonly JournalEntry[];
}

/** A context over a store, with a frozen clock and ids that count. */
export function contextOf(store: WorkspaceStore, gaps: Partial<SpecGaps> = {}): TestContext {
  const failures: unknown[] = [];
  const entries: JournalEntry[] = [];
  const work = new Work((error) => failures.push(error));
  const clock = clockOf(new ManualClock(), 'frozen', () => work.settled());
  let ids = 0;
  return {
    store,
    clock,
    failures,
    entries,
    work,
    admissions: new OwnAdmissions(),
    startAt: (time, start) => void clock.setTimer(start, Math.max(0, time - clock.now())),
    environment: {
      clock,
      deliveryClock: clock,
      newId: (kind) => {
        ids += 1;
        return `${kind}_${ids}`;
      },
      randomBytes: (length) => new Uint8Array(length),
    },
    receiverAddresses: 'loopback',
    gaps: () => ({ ...defaultSpecGaps, ...gaps }),
    record: (entry) => entries.push(entry),
  };
}
