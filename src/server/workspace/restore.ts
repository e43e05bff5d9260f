import type { WorkspaceState } from '../model/records.js';
import { defaultSpecGaps } from '../model/spec-gaps.js';
import type { ClockFlow } from '../time/clock.js';
import type { LiveWorkspace, WorkspaceParts } from './live-workspace.js';
import { type Switches, startOf } from './state-schema.js';

/** Returns the state of a workspace after all running work has ended. */
export async function readState({ life, context }: LiveWorkspace): Promise<WorkspaceState> {
  await life.opened();
  await life.settled();
  return context.store.readState();
}

/**
 * Restores an earlier state of a workspace and resumes from it. Aborts the requests that faults delay.
 *
 * @param flow - Whether the clock flows from then on. Default: as before.
 */
export async function restore(
  workspace: LiveWorkspace,
  state: WorkspaceState,
  time: number,
  flow?: ClockFlow,
): Promise<void> {
  const { life, sharing, clock, heldRequests, deliveryFaults, dispatcher, context } = workspace;
  await life.opened();
  await sharing.time.alone(async () => {
    await life.settled();
    await sharing.time.change(() => clock.jump(time, flow));
    heldRequests.breakOff();
    deliveryFaults.forget();
    dispatcher.forget();
    await context.admissions.clear();
    await resumeFrom(workspace, state);
  });
}

/** Restores the seed of a workspace and its initial time. Keeps the keys. */
export async function reset(workspace: LiveWorkspace): Promise<void> {
  const { life, settings, machine, sharing, faults } = workspace;
  await life.opened();
  const initialState = await workspace.readInitialState();
  const seed = settings();
  if (initialState !== undefined) {
    await restore(workspace, initialState, startOf(seed, machine), seed.clock ?? 'flowing');
  }
  changeSettings(workspace, ({ gaps, receiver }) => {
    Object.assign(gaps, defaultSpecGaps, seed.specGaps);
    receiver.mode = 'verify';
  });
  const settingsChanged = sharing.changed();
  faults.reset(seed.faults);
  await Promise.all([settingsChanged, sharing.changed(), sharing.clearJournal()]);
}

/** The parts of a workspace that have its switches. */
export interface SwitchableParts extends Pick<WorkspaceParts, 'gaps' | 'faults'> {
  readonly receiver: Pick<WorkspaceParts['receiver'], 'mode'>;
}

/** Returns the current switches, from which the workspace can resume. */
export function switchesOf({ gaps, faults, receiver }: SwitchableParts): Switches {
  return { specGaps: { ...gaps }, faults: faults.save(), receiver: receiver.mode };
}

/** Resumes from saved switches, in this process alone. */
export function resumeSwitches({ gaps, faults, receiver }: SwitchableParts, saved: Switches): void {
  Object.assign(gaps, defaultSpecGaps, saved.specGaps);
  faults.resume(saved.faults);
  receiver.mode = saved.receiver ?? 'verify';
}

/** Changes `specGaps` or the mode of the built-in receiver, in this process and for every replica. */
export function changeSettings(
  workspace: WorkspaceParts,
  make: (settings: Pick<WorkspaceParts, 'gaps' | 'receiver'>) => void,
): void {
  const change = () => {
    make(workspace);
    workspace.changed('specGaps');
  };
  change();
  workspace.sharing.rules.repeat(change);
}

/** Replaces the records of a workspace, and starts the work that waits in them. */
export async function resumeFrom(parts: WorkspaceParts, state: WorkspaceState): Promise<void> {
  const { context, listeners, sharing, services, dispatcher } = parts;
  await context.store.replaceState(state);
  listeners.resume(state.subscriptions);
  await sharing.resume(async () => {
    await services.transactional.resume();
    // Resume waiting runs before waiting events: an event begins the runs that it starts.
    await services.journeys.resume();
    await services.events.resume();
    await dispatcher.resume();
  });
}
