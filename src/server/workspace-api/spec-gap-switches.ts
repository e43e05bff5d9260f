import type { SpecGaps } from '../model/spec-gaps.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { changeGaps } from '../workspace/restore.js';
import { checked } from './checked.js';

/**
 * Reads and changes the `specGaps` of a workspace: behavior that the service's document does not specify.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * server.specGaps.set({ unknownIdStatus: 410 });
 * await server.client.contacts.get('nobody').catch((error) => console.log(error.status)); // 410
 * console.log(server.specGaps.read().errorBody); // nested
 * ```
 */
export interface SpecGapSwitches {
  /** Returns the current value of every switch. */
  read(): SpecGaps;
  /**
   * Changes switches. The change applies from the next request, attempt or send on. Keeps the switches that you leave out.
   *
   * @returns The value of every switch after the change.
   * @throws ConfigurationError that names each invalid switch.
   */
  set(changes: Partial<SpecGaps>): SpecGaps;
}

export function specGapsOf(live: LiveWorkspace): SpecGapSwitches {
  return {
    read: () => ({ ...live.gaps }),
    set(changes) {
      live.life.refuseIfClosed();
      changeGaps(live, checked(specGapsSchema, 'The change of specGaps', changes));
      live.sharing.keepFailure();
      return { ...live.gaps };
    },
  };
}
