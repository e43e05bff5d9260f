import { defaultRandomSeed } from '../faults/random.js';
import { workspaceAsSeed } from '../seed/workspace-as-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** A clock that differs less than this from the machine's counts as unmoved. In milliseconds. */
const skewIgnored = 1_000;

/** Returns the current content of a workspace as a seed. */
export async function seedOf(live: LiveWorkspace): Promise<WorkspaceSeed> {
  await live.life.opened();
  const state = await live.context.store.readState();
  const { position } = live.clock;
  const isAtMachineTime = position.flow === 'flowing' && Math.abs(position.ahead) < skewIgnored;
  const { randomSeed, rules } = live.faults.save();
  return workspaceAsSeed(state, {
    clock: position.flow,
    now: isAtMachineTime ? undefined : Math.round(live.clock.now()),
    specGaps: live.gaps,
    faults: rules.map(({ rule }) => rule),
    randomSeed: randomSeed === defaultRandomSeed ? undefined : randomSeed,
  });
}
