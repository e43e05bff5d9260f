import { parseWorkspaceSeed } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';

/**
 * The seed of a workspace beside the first: its clock, its deliveries' timestamps and its `specGaps` are as the first's
 * unless told.
 *
 * @throws TypeError where it is not right.
 */
export function withServerDefaults(first: WorkspaceSeed, seed: WorkspaceSeed): WorkspaceSeed {
  const checked = parseWorkspaceSeed(seed);
  return {
    ...checked,
    clock: checked.clock ?? first.clock,
    deliveryTimestamps: checked.deliveryTimestamps ?? first.deliveryTimestamps,
    specGaps: { ...first.specGaps, ...checked.specGaps },
  };
}
