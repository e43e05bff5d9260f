import type { SpecGaps } from '../model/spec-gaps.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';

/**
 * What a workspace does where the service's document shows nothing, in a test's hands.
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
  /** All of them as they stand. */
  read(): SpecGaps;
  /**
   * Has the workspace do otherwise from its next request, attempt or send on. What is not named stays.
   *
   * @returns All of them as they stand then.
   * @throws TypeError that names what is wrong.
   */
  set(changes: Partial<SpecGaps>): SpecGaps;
}

export function specGapsOf(live: LiveWorkspace): SpecGapSwitches {
  return {
    read: () => ({ ...live.gaps }),
    set(changes) {
      live.refuseIfClosed();
      live.changeGaps(checked(specGapsSchema, 'The change of specGaps', changes));
      return { ...live.gaps };
    },
  };
}
