import { fieldPath } from '../../contract/schema.js';
import { invalidRequest } from '../model/service-error.js';
import { journeyAsSeed } from '../seed/as-seed.js';
import { compileJourney } from '../seed/compile-journey.js';
import { journeySeedSchema } from '../seed/journey-schema.js';
import type { JourneySeed } from '../seed/journey-seed.js';
import { problemsOfJourney } from '../seed/references.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';
import { whenOpen } from './when-open.js';

/**
 * Lists, adds, replaces and removes the journeys of a workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'thanks', body: 'Thank you!' }] });
 * await server.journeys.put({ id: 'thank', event: 'order_placed', steps: [{ send: 'thanks' }] });
 * console.log(await server.journeys.list()); // [{ id: 'thank', event: 'order_placed', steps: [{ send: 'thanks' }] }]
 * ```
 */
export interface WorkspaceJourneys {
  /** Returns all journeys in the order of their addition. Waits have their largest unit: `60s` becomes `1m`. */
  list(): Promise<readonly JourneySeed[]>;
  /**
   * Adds a journey, or replaces the journey with the same id. Runs of the replaced journey continue in the new one, at the
   * same step number.
   *
   * @returns The journey as `list` returns it.
   * @throws ConfigurationError that names each invalid field; Error if the journey names an unknown template or segment.
   */
  put(journey: JourneySeed): Promise<JourneySeed>;
  /** Removes a journey. Its runs take no further steps. False if no journey has the id. */
  remove(journeyId: string): Promise<boolean>;
}

export function journeysOf(live: LiveWorkspace): WorkspaceJourneys {
  const { store } = live.context;
  return whenOpen(live, {
    list: async () => (await store.journeys.list()).map(journeyAsSeed),
    async put(journey) {
      const seed = checked(journeySeedSchema, 'The journey', journey);
      const named = { templates: await store.templates.list(), segments: await store.segments.list() };
      const problems = problemsOfJourney(seed, named);
      if (problems.length > 0) {
        throw invalidRequest(problems.map(({ path, message }) => ({ field: fieldPath(path), message })));
      }
      const record = compileJourney(seed);
      await store.journeys.put(record);
      return journeyAsSeed(record);
    },
    remove: (journeyId) => store.journeys.delete(journeyId),
  });
}
