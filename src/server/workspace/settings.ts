import type { Clock } from '../../foundation/clock.js';
import type { SavedFaults } from '../faults/fault-schemas.js';
import { faultsOf } from '../faults/workspace-faults.js';
import type { ChangeKind } from '../model/change.js';
import type { ReceiverMode } from '../model/receiver.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import { type ClockPosition, positionAt, rounded } from '../time/clock.js';
import type { SharedValue } from '../time/shared-value.js';
import { type SeedSettings, type SettingsBesideClock, startOf } from './state-schema.js';

/** What can change in a running workspace besides its records. A change makes another object. */
export interface WorkspaceSettings {
  readonly clock: ClockPosition;
  readonly specGaps: SpecGaps;
  readonly faults: SavedFaults;
  /** How the built-in receiver responds. */
  readonly receiver: ReceiverMode;
}

/** The settings of a workspace: one record. */
export interface SettingsRecord extends SharedValue<WorkspaceSettings> {
  /** Calls `changed` after each change, with the kinds of what changed. */
  watch(changed: (kinds: readonly ChangeKind[]) => void): void;
}

/** The settings of a workspace in this process. */
export class OwnSettings implements SettingsRecord {
  #now: WorkspaceSettings;
  #changed: (kinds: readonly ChangeKind[]) => void = () => {};

  constructor(initial: WorkspaceSettings) {
    this.#now = initial;
  }

  get now(): WorkspaceSettings {
    return this.#now;
  }

  read(): undefined {}

  async change<Result>(
    decide: (now: WorkspaceSettings) => readonly [next: WorkspaceSettings, result: Result],
  ): Promise<Result> {
    const before = this.#now;
    const [next, result] = decide(before);
    this.#now = next;
    this.#changed(kindsOf(before, next));
    return result;
  }

  watch(changed: (kinds: readonly ChangeKind[]) => void): void {
    this.#changed = changed;
  }
}

/** Returns the kinds of what differs in the settings. */
export function kindsOf(before: WorkspaceSettings, after: WorkspaceSettings): readonly ChangeKind[] {
  const isOtherwise = before.specGaps !== after.specGaps || before.receiver !== after.receiver;
  return [
    ...(before.clock === after.clock ? [] : (['clock'] as const)),
    ...(before.faults === after.faults ? [] : (['faults'] as const)),
    ...(isOtherwise ? (['specGaps'] as const) : []),
  ];
}

/** Returns one of the settings, as a value of its own. */
export function partOf<Name extends keyof WorkspaceSettings>(
  settings: SettingsRecord,
  name: Name,
): SharedValue<WorkspaceSettings[Name]> {
  return {
    get now() {
      return settings.now[name];
    },
    read: () => settings.read(),
    change: (decide) =>
      settings.change((now) => {
        const [next, result] = decide(now[name]);
        return [next === now[name] ? now : { ...now, [name]: next }, result];
      }),
  };
}

/** The settings of a new workspace. */
export function settingsOfSeed(seed: SeedSettings, machine: Clock): WorkspaceSettings {
  return {
    clock: positionAt(startOf(seed, machine), seed.clock ?? 'flowing', machine),
    specGaps: { ...defaultSpecGaps, ...seed.specGaps },
    faults: faultsOf(seed.randomSeed, seed.faults),
    receiver: 'verify',
  };
}

/** What a state has of the settings. */
export type SavedSettings = SettingsBesideClock & { readonly clock: ClockPosition };

/** Converts the settings for a state, which has whole milliseconds. */
export function savedOf({ clock, ...others }: WorkspaceSettings): SavedSettings {
  return { clock: rounded(clock), ...others };
}

/** Converts the settings of a state back. */
export function settingsOfSaved(saved: SavedSettings): WorkspaceSettings {
  const { clock, specGaps, faults, receiver = 'verify' } = saved;
  return { clock, specGaps: { ...defaultSpecGaps, ...specGaps }, faults, receiver };
}
