import { parseWorkspaceSeed } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';

/**
 * The seed of a workspace beside the first: its clock and its `specGaps` are as the first's unless told.
 *
 * @throws TypeError where it is not right.
 */
export function withServerDefaults({ clock, specGaps }: WorkspaceSeed, seed: WorkspaceSeed): WorkspaceSeed {
  const checked = parseWorkspaceSeed(seed);
  return { ...checked, clock: checked.clock ?? clock, specGaps: { ...specGaps, ...checked.specGaps } };
}
