import { validate } from '../../contract/schema.js';
import { defaultRandomSeed } from '../faults/random.js';
import { notRight } from '../model/service-error.js';
import { workspaceAsSeed } from '../seed/as-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import { checkReceivers, receiversIn } from '../workspace/check-workspace.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { snapshotOfAnyVersion } from '../workspace/older-formats.js';
import { readState, restore } from '../workspace/restore.js';
import { stateAsText, stateFromText } from '../workspace/state-schema.js';
import { snapshotSchema, type WorkspaceSnapshot } from './workspace-snapshot.js';

/** Takes a workspace's snapshot after all running work has ended. */
export async function snapshotOf(workspace: LiveWorkspace): Promise<WorkspaceSnapshot> {
  const state = await readState(workspace);
  return { version: 1, takenAt: new Date(workspace.clock.now()).toISOString(), ...stateAsText(state) };
}

/**
 * Restores a workspace from a snapshot.
 *
 * @throws ConfigurationError that names each invalid field of the snapshot.
 */
export async function restoreFrom(workspace: LiveWorkspace, snapshot: WorkspaceSnapshot): Promise<void> {
  const validation = validate(snapshotSchema, snapshotOfAnyVersion(snapshot));
  if (!validation.valid) throw notRight('The snapshot', validation.problems);
  const { version: _, takenAt, ...state } = validation.value;
  checkReceivers('The snapshot', receiversIn(state), workspace.context.receiverAddresses);
  await restore(workspace, stateFromText(state), Date.parse(takenAt));
}

/** A clock that differs less than this from the machine's counts as unmoved. In milliseconds. */
const skewIgnored = 1_000;

/** Returns the current content of a workspace as a seed. */
export async function seedOf(live: LiveWorkspace): Promise<WorkspaceSeed> {
  const state = await live.context.store.readState();
  const { clock: position, specGaps, faults } = live.settings.now;
  const isAtMachineTime = position.flow === 'flowing' && Math.abs(position.ahead) < skewIgnored;
  const { randomSeed, rules } = faults;
  return workspaceAsSeed(state, {
    clock: position.flow,
    now: isAtMachineTime ? undefined : new Date(Math.round(live.clock.now())).toISOString(),
    specGaps,
    faults: rules.map(({ rule }) => rule),
    randomSeed: randomSeed === defaultRandomSeed ? undefined : randomSeed,
  });
}
