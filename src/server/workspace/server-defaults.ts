import { parseWorkspaceSeed } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';

/**
 * Completes the seed of a further workspace. Defaults: the clock, the delivery timestamps and the `specGaps` of the
 * server.
 *
 * @throws ConfigurationError that names each invalid field.
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
