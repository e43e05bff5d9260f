import type { WorkspaceState } from '../model/records.js';
import { readEntry, writeEntry } from '../model/written-entry.js';
import { recordOf } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import { OwnAdmissions } from '../service/rate-limit.js';
import { ownSchedule } from './agenda.js';
import { digestOfKey } from './api-keys.js';
import { OwnJournal } from './journal.js';
import { assemble, type LiveWorkspace } from './live-workspace.js';
import { resumeFrom } from './restore.js';
import { OwnSettings, savedOf, settingsOfSaved, settingsOfSeed, type WorkspaceSettings } from './settings.js';
import { settingsOf, stateAsText, stateFromText, type WorkspaceInState } from './state-schema.js';
import type { Assembly, WorkspaceDependencies, WorkspaceParts } from './workspace-parts.js';

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
    settings: settingsOfSeed(seed, dependencies.machine),
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
  const { workspace, initialState, apiKeyDigests, journal } = saved;
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
      settings: settingsOfSaved(saved),
    },
    apiKeyDigests,
  );
  if (journal !== undefined) {
    resumed.journal.history.resume(journal.forgotten, journal.entries.map(readEntry));
  }
  return resumed;
}

/** How a workspace of this process begins. */
interface Origin extends Pick<Assembly, 'created' | 'begin' | 'readInitialState'> {
  readonly settings: WorkspaceSettings;
}

/** @param digests - The digests of the keys that open it. Default: that of its key. */
function assembleOwn(
  seed: WorkspaceSeed & { readonly workspaceId: string },
  dependencies: WorkspaceDependencies,
  { settings, ...origin }: Origin,
  digests?: readonly string[],
): LiveWorkspace {
  const { store, machine, taken } = dependencies;
  const { workspaceId: id, apiKey = dependencies.newId('key') } = seed;
  const workspace = assemble(
    {
      ...origin,
      id,
      apiKey,
      seeded: () => seed,
      startedAt: machine.now(),
      noListeners: undefined,
      deleteRecords: () => store.deleteWorkspace(id),
      stores: {
        records: store.workspace(id),
        settings: new OwnSettings(settings),
        journal: new OwnJournal(),
        schedule: ownSchedule,
        admissions: new OwnAdmissions(),
      },
    },
    dependencies,
  );
  taken?.add(id);
  for (const digest of digests ?? [digestOfKey(apiKey)]) workspace.keys.reserve(digest);
  return workspace;
}

/** Returns the current state, from which the workspace can resume in another process. Does not wait for running work. */
export async function saveWorkspace(workspace: WorkspaceParts): Promise<WorkspaceInState> {
  const { keys, context, settings, seeded } = workspace;
  const now = { apiKeyDigests: keys.digests, ...savedOf(settings.now) };
  const state = await context.store.readState();
  const initialState = stateAsText((await workspace.readInitialState()) ?? state);
  return {
    ...now,
    ...stateAsText(state),
    initialState: { settings: settingsOf(seeded()), state: initialState },
  };
}

/**
 * Returns the state at this moment, with that many of the latest entries of the journal, one or more. A workspace that resumes from it stays at this
 * moment: its clock is frozen, and deliveries that are due wait until the clock moves.
 */
export async function saveMoment(workspace: WorkspaceParts, entries: number): Promise<WorkspaceInState> {
  const { clock, journal } = workspace;
  const { history } = journal;
  const now = Math.round(clock.now());
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
