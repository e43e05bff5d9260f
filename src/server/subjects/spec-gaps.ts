import type { SpecGaps } from '../model/spec-gaps.js';
import { allSpecGapsSchema, specGapsSchema } from '../seed/spec-gaps-schema.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';

/**
 * Reads and changes the `specGaps` of a workspace: behavior that the service's document does not specify.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.specGaps.set({ unknownIdStatus: 410 });
 * await server.client.contacts.get('nobody').catch((error) => console.log(error.status)); // 410
 * console.log(server.specGaps.read().errorBody); // nested
 * ```
 */
export type SpecGapSwitches = {
  /** Returns the current value of every switch. */
  read(): SpecGaps;
  /**
   * Changes switches. The change applies from the next request, attempt or send on. Keeps the switches that you leave out.
   *
   * @returns The value of every switch after the change.
   * @throws ConfigurationError that names each invalid switch.
   */
  set(changes: Partial<SpecGaps>): Promise<SpecGaps>;
};

export function specGapsOf(live: LiveWorkspace): SpecGapSwitches {
  return {
    read: () => ({ ...live.settings.now.specGaps }),
    async set(given) {
      const changes = checked(specGapsSchema, 'The change of specGaps', given);
      const before = () => live.settings.now.specGaps;
      return change(live, { operation: 'specGaps.set', given: [changes], before }, () =>
        live.settings.change((now) => {
          const specGaps = { ...now.specGaps, ...changes };
          return [{ ...now, specGaps }, { ...specGaps }];
        }),
      );
    },
  };
}

export const specGapsOperations = () => ({
  read: operation('specGaps.read', 'GET', '/control/spec-gaps', {
    summary: "Returns the switches for behavior that the service's document does not specify.",
    result: allSpecGapsSchema,
    rule: (live) => specGapsOf(live).read(),
  }),
  set: operation('specGaps.set', 'PUT', '/control/spec-gaps', {
    summary: 'Changes switches, from the next request on. Keeps the switches that you leave out.',
    body: specGapsSchema,
    result: allSpecGapsSchema,
    rule: (live, { body }) => specGapsOf(live).set(body),
  }),
});
