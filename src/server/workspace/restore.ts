import { resetFaults } from '../faults/workspace-faults.js';
import type { WorkspaceState } from '../model/records.js';
import type { ClockFlow } from '../time/clock.js';
import type { LiveWorkspace } from './live-workspace.js';
import { settingsOfSeed } from './settings.js';
import { startOf } from './state-schema.js';
import type { WorkspaceParts } from './workspace-parts.js';

/** Returns the state of a workspace after all running work has ended. */
export async function readState({ life, context }: LiveWorkspace): Promise<WorkspaceState> {
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
  const { life, clock, heldRequests, deliveryFaults, dispatcher, context } = workspace;
  await clock.alone(async () => {
    await life.settled();
    await clock.jump(time, flow);
    heldRequests.breakOff();
    deliveryFaults.forget();
    dispatcher.forget();
    await context.admissions.clear();
    await resumeFrom(workspace, state);
  });
}

/** Restores the seed of a workspace and its initial time. Keeps the keys. */
export async function reset(workspace: LiveWorkspace): Promise<void> {
  const { settings, machine, journal, seeded } = workspace;
  const initialState = await workspace.readInitialState();
  const seed = seeded();
  if (initialState !== undefined) {
    await restore(workspace, initialState, startOf(seed, machine), seed.clock ?? 'flowing');
  }
  const { specGaps, receiver } = settingsOfSeed(seed, machine);
  await settings.change((now) => {
    const faults = resetFaults(now.faults, seed.faults);
    return [{ ...now, specGaps, receiver, faults }, undefined];
  });
  await journal.clear();
}

/** Replaces the records of a workspace, and starts the work that waits in them. */
export async function resumeFrom(parts: WorkspaceParts, state: WorkspaceState): Promise<void> {
  const { context, listeners, schedule, agenda, services, dispatcher } = parts;
  await context.store.replaceState(state);
  listeners.resume(state.subscriptions);
  if (schedule.reportsDueWork) return agenda.startDue();
  await services.transactional.resume();
  // Resume waiting runs before waiting events: an event begins the runs that it starts.
  await services.journeys.resume();
  await services.events.resume();
  await dispatcher.resume();
}
