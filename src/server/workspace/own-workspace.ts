import type { Clock } from '../../foundation/clock.js';
import type { WorkspaceState } from '../model/records.js';
import { readEntry, writeEntry } from '../model/written-entry.js';
import { recordOf } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import { OwnAdmissions } from '../service/rate-limit.js';
import type { ClockPosition } from '../time/clock.js';
import { digestOfKey } from './api-keys.js';
import {
  type Assembly,
  assemble,
  type LifeSteps,
  type LiveWorkspace,
  type WorkspaceDependencies,
  type WorkspaceParts,
} from './live-workspace.js';
import { resumeFrom, resumeSwitches, switchesOf } from './restore.js';
import { unshared } from './sharing/sharing.js';
import { settingsOf, stateAsText, stateFromText, type WorkspaceInState } from './state-schema.js';

/** Creates a workspace of this process from its seed. */
export function createWorkspace(seed: WorkspaceSeed, dependencies: WorkspaceDependencies): LiveWorkspace {
  const { store } = dependencies;
  const named = { ...seed, workspaceId: seed.workspaceId ?? dependencies.newId('workspace') };
  let initialState: WorkspaceState | undefined;
  return assembleOwn(named, dependencies, {
    created: store.createWorkspace(recordOf(seed, named.workspaceId)),
    begin: async ({ services, context, keys }) => {
      for (const contact of seed.contacts ?? []) await services.contacts.upsert(contact);
      for (const webhook of seed.managedWebhooks ?? []) await services.subscriptions.manage(webhook);
      initialState = await context.store.readState();
      await keys.admitReserved();
    },
    readInitialState: async () => initialState,
  });
}

/**
 * Resumes a workspace of an earlier process.
 *
 * @param apiKey - The `apiKey` of the workspace. It is valid only if its digest is among the saved ones.
 */
export function resumeWorkspace(
  saved: WorkspaceInState,
  apiKey: string | undefined,
  dependencies: WorkspaceDependencies,
): LiveWorkspace {
  const { workspace, initialState, clock, apiKeyDigests, journal } = saved;
  const seed = { ...initialState.settings, workspaceId: workspace.id, apiKey };
  const resumed = assembleOwn(
    seed,
    dependencies,
    {
      created: dependencies.store.createWorkspace(recordOf(seed, seed.workspaceId)),
      begin: async (parts) => {
        await resumeFrom(parts, stateFromText(saved));
        await parts.keys.admitReserved();
      },
      readInitialState: async () => stateFromText(initialState.state),
    },
    apiKeyDigests,
  );
  resumeSwitches(resumed, saved);
  resumed.clock.follow(clock);
  if (journal !== undefined) resumed.history.resume(journal.forgotten, journal.entries.map(readEntry));
  return resumed;
}

/** @param digests - The digests of the keys that open it. Default: that of its key. */
function assembleOwn(
  seed: WorkspaceSeed & { readonly workspaceId: string },
  dependencies: WorkspaceDependencies,
  origin: Pick<Assembly & LifeSteps, 'created' | 'begin' | 'readInitialState'>,
  digests?: readonly string[],
): LiveWorkspace {
  const { store, machine, taken } = dependencies;
  const { workspaceId: id, apiKey = dependencies.newId('key') } = seed;
  const workspace: LiveWorkspace = assemble(
    {
      ...origin,
      id,
      apiKey,
      settings: () => seed,
      startedAt: machine.now(),
      store: store.workspace(id),
      admissions: new OwnAdmissions(),
      noListeners: undefined,
      createSharing: (history) => unshared(history, () => workspace.clock),
      deleteRecords: () => store.deleteWorkspace(id),
    },
    dependencies,
  );
  taken?.add(id);
  for (const digest of digests ?? [digestOfKey(apiKey)]) workspace.keys.reserve(digest);
  return workspace;
}

/** Returns the current state, from which the workspace can resume in another process. Does not wait for running work. */
export async function saveWorkspace(workspace: WorkspaceParts): Promise<WorkspaceInState> {
  const { keys, clock, context, settings } = workspace;
  const now = { apiKeyDigests: keys.digests(), clock: clock.position, ...switchesOf(workspace) };
  const state = await context.store.readState();
  const initialState = stateAsText((await workspace.readInitialState()) ?? state);
  return {
    ...now,
    ...stateAsText(state),
    initialState: { settings: settingsOf(settings()), state: initialState },
  };
}

/**
 * Returns the state at this moment, with that many of the latest entries of the journal, one or more. A workspace that resumes from it stays at this
 * moment: its clock is frozen, and deliveries that are due wait until the clock moves.
 */
export async function saveMoment(workspace: WorkspaceParts, entries: number): Promise<WorkspaceInState> {
  const { clock, machine, history } = workspace;
  const now = timeAt(clock.position, machine);
  const recorded = history.entries();
  const latest = recorded.slice(-entries);
  const forgotten = history.forgotten + recorded.length - latest.length;
  const saved = await saveWorkspace(workspace);
  const deliveries = saved.deliveries.map((delivery) => {
    const { status, dueAt = now } = delivery;
    return status === 'pending' && dueAt <= now ? { ...delivery, dueAt: now + 1 } : delivery;
  });
  return {
    ...saved,
    clock: { flow: 'frozen', now },
    deliveries,
    journal: { forgotten, entries: latest.map(writeEntry) },
  };
}

/** The time of a clock in this position, in whole milliseconds since the Unix epoch. */
function timeAt(position: ClockPosition, machine: Clock): number {
  return Math.round(position.flow === 'frozen' ? position.now : machine.now() + position.ahead);
}
