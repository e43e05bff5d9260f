import type { Clock } from '../../foundation/clock.js';
import type { SavedFaults } from '../faults/fault-schemas.js';
import type { ReceiverMode } from '../model/receiver.js';
import type { WorkspaceState } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { WrittenEntry } from '../model/written-entry.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ClockPosition } from '../time/clock.js';
import { toEpochMilliseconds } from '../time/instant.js';

/** The fields of a seed that a workspace needs after its start. The store has the others. */
export type WorkspaceSettings = Pick<
  WorkspaceSeed,
  'clock' | 'now' | 'deliveryTimestamps' | 'specGaps' | 'faults' | 'randomSeed'
>;

/** The state from which a workspace can resume in another process. */
export interface SavedWorkspace {
  /** The SHA-256 of each key, in hex. Nothing has the keys themselves. */
  readonly apiKeyDigests: readonly string[];
  readonly clock: ClockPosition;
  readonly specGaps: Partial<SpecGaps>;
  readonly faults: SavedFaults;
  /** How the built-in receiver responds. Default: `verify`. */
  readonly receiver?: ReceiverMode | undefined;
  readonly state: WorkspaceState;
  /** The latest entries, and how many were dropped. Only the file of a failed test has them. */
  readonly journal?: { readonly forgotten: number; readonly entries: readonly WrittenEntry[] } | undefined;
  /** The state that a reset restores. */
  readonly initialState: { readonly settings: WorkspaceSettings; readonly state: WorkspaceState };
}

/** Returns the settings of a seed, without its records. */
export function settingsOf(seed: WorkspaceSettings): WorkspaceSettings {
  const { clock, now, deliveryTimestamps, specGaps, faults, randomSeed } = seed;
  return { clock, now, deliveryTimestamps, specGaps, faults, randomSeed };
}

/** The initial time of a workspace with these settings, in milliseconds since the Unix epoch. */
export function startOf({ now }: WorkspaceSettings, machine: Clock): number {
  return now === undefined ? machine.now() : toEpochMilliseconds(now);
}

/** The time of a clock in this position, in whole milliseconds since the Unix epoch. */
export function timeAt(position: ClockPosition, machine: Clock): number {
  return Math.round(position.flow === 'frozen' ? position.now : machine.now() + position.ahead);
}
