import { validate } from '../../../contract/schema.js';
import type { ChangeKind } from '../../model/change.js';
import type { JsonValue } from '../../model/fault.js';
import { notRight, workspaceClosed } from '../../model/service-error.js';
import type { SettingsStore, StoredSettings } from '../../store/shared-store.js';
import {
  kindsOf,
  type SettingsRecord,
  savedOf,
  settingsOfSaved,
  type WorkspaceSettings,
} from '../settings.js';
import { type SettingsBesideClock, settingsBesideClockSchema } from '../state-schema.js';

/** Converts settings for a store. */
export function toStored(settings: WorkspaceSettings): StoredSettings {
  const { clock, ...others } = savedOf(settings);
  const json: JsonValue = JSON.parse(JSON.stringify(others));
  return { clock, settings: json };
}

/** @throws ConfigurationError if another version of the package wrote them. */
function fromStored({ clock, settings }: StoredSettings): WorkspaceSettings {
  const validation = validate<SettingsBesideClock>(settingsBesideClockSchema, settings);
  if (validation.valid) return settingsOfSaved({ clock, ...validation.value });
  throw notRight('The settings of the workspace in the store', validation.problems);
}

/**
 * The settings of a workspace in a store that replicas share. What the store has is the truth. This process keeps what it last saw, with
 * its mark, because a clock is read at any time. Each request reads the mark with its key, and the settings if the mark is another.
 */
export class SharedSettings implements SettingsRecord {
  readonly #store: SettingsStore;
  /** Resolves when the store has the workspace. */
  readonly #added: Promise<void>;
  #now: WorkspaceSettings;
  /** The mark of `#now` in the store. Undefined before the first read. */
  #mark: string | undefined;
  /** The latest step. Steps run one after the other, so that an earlier response never replaces a later one. */
  #latest: Promise<unknown> = Promise.resolve();
  /** A read that has not begun. */
  #waiting: Promise<void> | undefined;
  #changed: (kinds: readonly ChangeKind[]) => void = () => {};
  #gone: () => void = () => {};

  /** @param initial - The settings until the first read. */
  constructor(store: SettingsStore, added: Promise<void>, initial: WorkspaceSettings) {
    this.#store = store;
    this.#added = added;
    this.#now = initial;
  }

  get now(): WorkspaceSettings {
    return this.#now;
  }

  watch(changed: (kinds: readonly ChangeKind[]) => void): void {
    this.#changed = changed;
  }

  /** Calls `gone` when a step finds that the workspace was deleted. */
  whenGone(gone: () => void): void {
    this.#gone = gone;
  }

  /** Whether this process has seen the settings with this mark as the latest ones. */
  isSeen(mark: string): boolean {
    return this.#mark === mark;
  }

  read(): Promise<void> {
    this.#waiting ??= this.#inTurn(async () => {
      this.#waiting = undefined;
      await this.#see();
    });
    return this.#waiting;
  }

  change<Result>(
    decide: (now: WorkspaceSettings) => readonly [next: WorkspaceSettings, result: Result],
  ): Promise<Result> {
    return this.#inTurn(async () => {
      for (;;) {
        const mark = await this.#see();
        if (mark === undefined) throw workspaceClosed();
        const [next, result] = decide(this.#now);
        if (next === this.#now) return result;
        const replaced = await this.#store.replace(mark, toStored(next));
        if (replaced === undefined) continue;
        this.#become(next, replaced);
        return result;
      }
    });
  }

  /** Reads the settings, and returns their mark. Undefined if the workspace was deleted. */
  async #see(): Promise<string | undefined> {
    const latest = await this.#store.read();
    if (latest === undefined) this.#gone();
    else if (latest.mark !== this.#mark) this.#become(withKept(this.#now, fromStored(latest)), latest.mark);
    return latest?.mark;
  }

  #become(next: WorkspaceSettings, mark: string): void {
    const before = this.#now;
    this.#now = next;
    this.#mark = mark;
    this.#changed(kindsOf(before, next));
  }

  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const turn = this.#latest.then(() => this.#added).then(step);
    this.#latest = turn.catch(() => {});
    return turn;
  }
}

/** Returns the settings that were read, with the same objects as before where they are equal. */
function withKept(before: WorkspaceSettings, read: WorkspaceSettings): WorkspaceSettings {
  const isSame = (name: keyof WorkspaceSettings) =>
    JSON.stringify(before[name]) === JSON.stringify(read[name]);
  return {
    clock: isSame('clock') ? before.clock : read.clock,
    specGaps: isSame('specGaps') ? before.specGaps : read.specGaps,
    faults: isSame('faults') ? before.faults : read.faults,
    receiver: read.receiver,
  };
}
