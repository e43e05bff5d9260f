import type { Clock } from '../../foundation/clock.js';
import type { SavedFaults } from '../faults/saved-faults.js';
import type { WorkspaceState } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ClockPosition } from '../time/clock.js';

/** What of its seed a workspace needs as long as it lives: what it began with in its store is there. */
export type WorkspaceSettings = Pick<
  WorkspaceSeed,
  'clock' | 'now' | 'deliveryTimestamps' | 'specGaps' | 'faults' | 'randomSeed'
>;

/** All that it takes to have a workspace go on in another process. */
export interface SavedWorkspace {
  /** SHA-256, in hex: the keys themselves are nowhere. */
  readonly apiKeyDigests: readonly string[];
  readonly clock: ClockPosition;
  readonly specGaps: Partial<SpecGaps>;
  readonly faults: SavedFaults;
  readonly state: WorkspaceState;
  /** What a reset puts the workspace back to. */
  readonly beginning: { readonly settings: WorkspaceSettings; readonly state: WorkspaceState };
}

/** The settings of a seed, without what its workspace holds. */
export function settingsOf(seed: WorkspaceSettings): WorkspaceSettings {
  const { clock, now, deliveryTimestamps, specGaps, faults, randomSeed } = seed;
  return { clock, now, deliveryTimestamps, specGaps, faults, randomSeed };
}

/** What time it is by a clock in that position, in whole milliseconds since the Unix epoch. */
export function timeAt(position: ClockPosition, machine: Clock): number {
  return Math.round(position.flow === 'frozen' ? position.now : machine.now() + position.ahead);
}
