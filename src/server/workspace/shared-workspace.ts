import { validate } from '../../contract/schema.js';
import { notRight, ServiceError } from '../model/service-error.js';
import type { DueWork, SharedWorkspaceStore } from '../store/shared-store.js';
import { assemble, type LiveWorkspace, type WorkspaceDependencies } from './live-workspace.js';
import { AmongReplicas } from './sharing/among-replicas.js';
import {
  type InitialState,
  initialStateSchema,
  stateFromText,
  type WorkspaceSettings,
} from './state-schema.js';

/** Why a workspace in a shared store has no listeners: a listener is connected to only one process. */
const noListeners =
  'This server shares its store with other replicas, so it has no listeners. Subscribe a URL that every replica can reach, ' +
  'or use listen with a server without a shared store.';

export interface SharedWorkspaceOptions {
  /** Its id, its key, and its settings until they are read from the store. Default key: a generated one, which does not open it. */
  readonly seed: WorkspaceSettings & { readonly workspaceId: string; readonly apiKey?: string | undefined };
  readonly store: SharedWorkspaceStore;
  /** Resolves when the store has the workspace. */
  readonly added: Promise<void>;
  /** Called when another replica has deleted the workspace. */
  readonly onGone: (workspace: LiveWorkspace) => void;
}

/** Puts together this replica's part of a workspace that replicas share. */
export function sharedWorkspace(
  options: SharedWorkspaceOptions,
  dependencies: WorkspaceDependencies,
): LiveWorkspace {
  const { store, onGone } = options;
  const { workspaceId: id, apiKey = dependencies.newId('key') } = options.seed;
  let settings: WorkspaceSettings = options.seed;
  const workspace: LiveWorkspace = assemble(
    {
      id,
      apiKey,
      settings: () => settings,
      startedAt: 0,
      store,
      admissions: store.admissions,
      noListeners,
      createSharing: (history, onFailure) =>
        new AmongReplicas({
          store,
          added: options.added,
          history,
          workspace: () => workspace,
          startDue: (work) => startDue(workspace, work),
          onFailure,
          onGone: () => onGone(workspace),
        }),
      created: options.added,
      begin: async ({ sharing }) => {
        await sharing.sharedSettings();
        const initialState = await readInitialState(store);
        if (initialState === undefined) {
          // It was deleted meanwhile.
          await sharing.sharedSettings();
          throw new ServiceError('unauthorized', `The workspace ${id} is no longer in the store.`);
        }
        settings = initialState.settings;
      },
      readInitialState: async () => {
        const initialState = await readInitialState(store);
        return initialState && stateFromText(initialState.state);
      },
      deleteRecords: () => store.delete(),
    },
    dependencies,
  );
  return workspace;
}

async function readInitialState({ sharedSettings }: SharedWorkspaceStore): Promise<InitialState | undefined> {
  const initialState = await sharedSettings.readInitialState();
  if (initialState === undefined) return undefined;
  const validation = validate(initialStateSchema, initialState);
  if (validation.valid) return validation.value;
  throw notRight('The initial state of the workspace in the store', validation.problems);
}

/** Starts work that the store found due. Returns at once. */
export function startDue({ services, dispatcher }: LiveWorkspace, work: DueWork): void {
  const { journeys, events, transactional } = services;
  switch (work.kind) {
    case 'deliveries':
      dispatcher.wake([work.subscriptionId]);
      return;
    case 'journey_run':
      journeys.startStep(work.runId);
      return;
    case 'events':
      events.startProcessing();
      return;
    case 'sends':
      transactional.startSettling();
  }
}
