import { randomUUID } from 'node:crypto';
import type { DueWork } from '../../../src/server/store/schedule-store.js';
import type {
  ChangedPart,
  NewSharedWorkspace,
  ReplicaListeners,
} from '../../../src/server/store/shared-store.js';

/** What a replica was told, and a way to wait for it. */
export class Told implements ReplicaListeners {
  readonly due: (readonly [workspaceId: string, work: DueWork])[] = [];
  readonly changes: (readonly [workspaceId: string, changed: ChangedPart])[] = [];
  readonly failures: unknown[] = [];
  returns = 0;
  #waiting: (() => void)[] = [];

  readonly onDue = (workspaceId: string, work: DueWork) => {
    this.due.push([workspaceId, work]);
    this.#tell();
  };
  readonly onChange = (workspaceId: string, changed: ChangedPart) => {
    this.changes.push([workspaceId, changed]);
    this.#tell();
  };
  readonly onReturn = () => {
    this.returns += 1;
    this.#tell();
  };
  readonly onFailure = (error: unknown) => {
    this.failures.push(error);
    this.#tell();
  };

  /** Resolves when it holds, after something was told. A test that waits in vain ends by its timeout. */
  async until(holds: (told: Told) => boolean): Promise<void> {
    while (!holds(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A workspace that holds nothing. */
export function emptyWorkspace(
  id = `workspace-${randomUUID()}`,
  clock: NewSharedWorkspace['clock'] = { flow: 'flowing', ahead: 0 },
): NewSharedWorkspace {
  return {
    clock,
    settings: {},
    beginning: { seed: id },
    apiKeyDigests: [`digest-of-${id}`],
    state: {
      workspace: { id, quota: 10, addOnCredits: 5, templates: [], segments: [], journeys: [] },
      contacts: [],
      events: [],
      waitingEventIds: [],
      journeyRuns: [],
      sends: [],
      subscriptions: [],
      deliveries: [],
    },
  };
}
