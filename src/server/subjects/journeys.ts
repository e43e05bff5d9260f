import { fieldPath } from '../../contract/schema.js';
import { invalidRequest } from '../model/service-error.js';
import { journeyAsSeed } from '../seed/as-seed.js';
import { compileJourney, type JourneySeed, journeySeedSchema } from '../seed/journey-seed.js';
import { problemsOfJourney } from '../seed/references.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

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
export type WorkspaceJourneys = {
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
};

export function journeysOf(live: LiveWorkspace): WorkspaceJourneys {
  const { store } = live.context;
  const known = async (journeyId: string) => {
    const journey = await store.journeys.find(journeyId);
    return journey && journeyAsSeed(journey);
  };
  return {
    list: () => run(live, async () => (await store.journeys.list()).map(journeyAsSeed)),
    async put(journey) {
      const seed = checked(journeySeedSchema, 'The journey', journey);
      const before = () => known(seed.id);
      return change(live, { operation: 'journeys.put', given: [seed], before }, async () => {
        const named = { templates: await store.templates.list(), segments: await store.segments.list() };
        const problems = problemsOfJourney(seed, named);
        if (problems.length > 0) {
          throw invalidRequest(problems.map(({ path, message }) => ({ field: fieldPath(path), message })));
        }
        const record = compileJourney(seed);
        await store.journeys.put(record);
        return journeyAsSeed(record);
      });
    },
    remove(journeyId) {
      const before = () => known(journeyId);
      return change(live, { operation: 'journeys.remove', given: [journeyId], before }, () =>
        store.journeys.delete(journeyId),
      );
    },
  };
}

export const journeysOperations = ({ listOf }: typeof Shapes) => ({
  list: operation('journeys.list', 'GET', '/control/journeys', {
    summary: 'Lists the journeys with their steps.',
    result: listOf(journeySeedSchema),
    rule: async (live) => ({ data: await journeysOf(live).list() }),
  }),
  put: operation('journeys.put', 'PUT', '/control/journeys', {
    summary:
      'Adds a journey, or replaces the journey with the same id. Its templates and segments must exist.',
    body: journeySeedSchema,
    result: journeySeedSchema,
    rule: (live, { body }) => journeysOf(live).put(body),
  }),
  remove: operation('journeys.remove', 'DELETE', '/control/journeys/:id', {
    summary: 'Removes a journey. Its runs take no further steps.',
    refusals: { 404: 'No journey has this id.' },
    rule: (live, { path }) => journeysOf(live).remove(path.id),
  }),
});
