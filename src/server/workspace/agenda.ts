import type { Clock } from '../../foundation/clock.js';
import { workspaceClosed } from '../model/service-error.js';
import type { DueWork, ScheduleStore } from '../store/shared-store.js';
import { type MovedWork, timeAt } from '../time/clock.js';
import { lookAgainAfter } from '../time/machine-clock.js';
import type { Work } from '../time/work.js';
import type { WorkspaceJournal } from './journal.js';
import type { SettingsRecord } from './settings.js';

/** How often to check whether other processes have finished their work. In milliseconds. */
const othersLookedAtEvery = 10;

/** How often to check whether another process still moves the clock. In milliseconds. */
const moveLookedAtEvery = 20;

/** The schedule of a workspace in this process: all waiting work has a timer. */
export const ownSchedule: ScheduleStore = {
  reportsDueWork: false,
  next: async () => undefined,
  due: async () => [],
  isIdle: async () => true,
  beginMove: async () => 'begun',
  endMove: async () => {},
};

export interface AgendaOptions {
  /** Resolves when the store has the workspace. */
  readonly created: Promise<void>;
  readonly schedule: ScheduleStore;
  /** The work that runs in this process. */
  readonly work: Work;
  /** The settings, which have the time of the workspace. */
  readonly settings: SettingsRecord;
  /** The journal, which has what the work did. */
  readonly journal: WorkspaceJournal;
  readonly machine: Clock;
}

/** The work of a workspace: what runs here, what runs in other processes, and what waits. */
export class Agenda implements MovedWork {
  readonly #options: AgendaOptions;
  #begin: (work: DueWork) => void = () => {};
  #isStopped = false;

  constructor(options: AgendaOptions) {
    this.#options = options;
  }

  /** Sets what begins work that is due. It returns at once. */
  onDue(begin: (work: DueWork) => void): void {
    this.#begin = begin;
  }

  /** Begins work that the schedule reported. */
  begin(work: DueWork): void {
    this.#begin(work);
  }

  async startDue(): Promise<void> {
    for (const work of await this.#options.schedule.due(this.#now())) this.#begin(work);
  }

  next(): Promise<number | undefined> {
    return this.#options.schedule.next();
  }

  /** Resolves when no due work is left, in this process or elsewhere. */
  async settled(): Promise<void> {
    const { work } = this.#options;
    await work.settled();
    while (!this.#isStopped && !(await this.#isIdle())) {
      await lookAgainAfter(othersLookedAtEvery);
      await work.settled();
    }
  }

  async beginMove(): Promise<void> {
    const { created, schedule } = this.#options;
    await created;
    for (;;) {
      const start = await schedule.beginMove();
      if (start === 'begun') return;
      if (start === 'gone') throw workspaceClosed();
      await lookAgainAfter(moveLookedAtEvery);
      if (this.#isStopped) throw workspaceClosed('service_unavailable');
    }
  }

  endMove(): Promise<void> {
    return this.#options.schedule.endMove();
  }

  /** No longer waits for other processes. */
  stop(): void {
    this.#isStopped = true;
  }

  async #isIdle(): Promise<boolean> {
    const { schedule, journal } = this.#options;
    const writing = journal.written();
    if (writing !== undefined) await writing;
    return schedule.isIdle(this.#now());
  }

  #now(): number {
    const { settings, machine } = this.#options;
    return timeAt(settings.now.clock, machine);
  }
}
