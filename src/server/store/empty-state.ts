import type { WorkspaceRecord, WorkspaceState } from '../model/records.js';

/** Returns the content of a new workspace. */
export function emptyState(workspace: WorkspaceRecord): WorkspaceState {
  return {
    workspace,
    contacts: [],
    events: [],
    waitingEventIds: [],
    journeyRuns: [],
    sends: [],
    subscriptions: [],
    deliveries: [],
  };
}
