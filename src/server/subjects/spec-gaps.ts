import type { SpecGaps } from '../model/spec-gaps.js';
import { allSpecGapsSchema, specGapsSchema } from '../seed/spec-gaps-schema.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';

/**
 * Reads and changes how a workspace behaves in the gaps of the service's document: where the document specifies no behavior.
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
export type WorkspaceSpecGaps = {
  /** Returns the current value of every gap. */
  read(): SpecGaps;
  /**
   * Changes the values of gaps. The change applies from the next request, attempt or send on. Keeps the gaps that you leave out.
   *
   * @returns The value of every gap after the change.
   * @throws ConfigurationError that names each gap with an invalid value.
   */
  set(changes: Partial<SpecGaps>): Promise<SpecGaps>;
};

export function specGapsOf(live: LiveWorkspace): WorkspaceSpecGaps {
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
    summary: "Returns the values of the gaps of the service's document: behavior that it does not specify.",
    result: allSpecGapsSchema,
    rule: (live) => specGapsOf(live).read(),
  }),
  set: operation('specGaps.set', 'PUT', '/control/spec-gaps', {
    summary: 'Changes the values of gaps, from the next request on. Keeps the gaps that you leave out.',
    body: specGapsSchema,
    result: allSpecGapsSchema,
    rule: (live, { body }) => specGapsOf(live).set(body),
  }),
});
