import { expect } from 'vitest';
import type { JourneyRecord, SegmentRecord, TemplateRecord } from '../../../src/server/model/records.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import type { Opening, Promises } from './opening.js';

const template = (id: string, body = 'Hi'): TemplateRecord => ({
  id,
  name: id,
  language: 'en',
  status: 'approved',
  body,
  variables: [],
});
const segment = (id: string, event = 'seen'): SegmentRecord => ({ id, event, atLeast: 1 });
const journey = (id: string, event = 'seen'): JourneyRecord => ({ id, event, steps: [] });

/** What templates, segments and journeys have in common. */
interface Definitions<T> {
  list(): Promise<readonly T[]>;
  find(id: string): Promise<T | undefined>;
  put(definition: T): Promise<void>;
  delete(id: string): Promise<boolean>;
}

const areKept =
  <T extends { readonly id: string }>(
    part: (workspace: WorkspaceStore) => Definitions<T>,
    define: (id: string, changed?: string) => T,
  ) =>
  async ({ open }: Opening) => {
    const definitions = part(await open());
    for (const id of ['b', 'a', 'c']) await definitions.put(define(id));
    await definitions.put(define('b', 'changed'));
    expect(await definitions.list()).toEqual([define('b', 'changed'), define('a'), define('c')]);
    expect(await definitions.find('b')).toEqual(define('b', 'changed'));
    expect(await definitions.find('constructor')).toBeUndefined();
    expect(await definitions.delete('a')).toBe(true);
    expect(await definitions.delete('a')).toBe(false);
    expect(await definitions.find('a')).toBeUndefined();
    expect((await definitions.list()).map(({ id }) => id)).toEqual(['b', 'c']);
  };

export const definitionPromises: Promises = {
  'of templates are added, replaced, and deleted once': areKept(({ templates }) => templates, template),
  'of segments are added, replaced, and deleted once': areKept(({ segments }) => segments, segment),
  'of journeys are added, replaced, and deleted once': areKept(({ journeys }) => journeys, journey),

  'of journeys are found by the event that starts them': async ({ open }) => {
    const { journeys } = await open({ journeys: [journey('b'), journey('a', 'left'), journey('c')] });
    expect(await journeys.listStartedBy('seen')).toEqual([journey('b'), journey('c')]);
    expect(await journeys.listStartedBy('constructor')).toEqual([]);
    await journeys.put(journey('b', 'left'));
    expect(await journeys.listStartedBy('left')).toEqual([journey('b', 'left'), journey('a', 'left')]);
    await journeys.delete('c');
    expect(await journeys.listStartedBy('seen')).toEqual([]);
  },

  'are part of the state as they stand': async ({ open }) => {
    const segments: readonly SegmentRecord[] = [
      { id: 'regulars', event: 'order_placed', atLeast: 3, within: 1000 },
      { id: 'french', where: [{ property: 'language', equals: 'fr' }] },
    ];
    const workspace = await open({ templates: [template('a')], segments: [...segments, segment('a')] });
    await workspace.templates.put(template('b'));
    await workspace.segments.delete('a');
    await workspace.journeys.put(journey('a'));
    const state = await workspace.readState();
    expect(state.workspace).toMatchObject({
      templates: [template('a'), template('b')],
      segments,
      journeys: [journey('a')],
    });
    await workspace.templates.delete('a');
    expect(state.workspace.templates).toHaveLength(2);
    await workspace.replaceState(state);
    expect(await workspace.templates.list()).toHaveLength(2);
  },
};
