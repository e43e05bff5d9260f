import { expect } from 'vitest';
import type { JourneyRecord, SegmentRecord, TemplateRecord } from '../../../src/server/model/records.js';
import type { Promises } from './opening.js';

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

export const definitionPromises: Promises = {
  'of templates are added, put in the place of their own, and deleted once': async ({ open }) => {
    const workspace = await open({ templates: [template('a'), template('b')] });
    await workspace.templates.put(template('c'));
    await workspace.templates.put(template('a', 'Bye'));
    expect(await workspace.templates.list()).toEqual([template('a', 'Bye'), template('b'), template('c')]);
    expect(await workspace.templates.find('a')).toEqual(template('a', 'Bye'));
    expect(await workspace.templates.delete('b')).toBe(true);
    expect(await workspace.templates.delete('b')).toBe(false);
    expect(await workspace.templates.find('b')).toBeUndefined();
    expect((await workspace.templates.list()).map(({ id }) => id)).toEqual(['a', 'c']);
  },

  'of segments are added, put in the place of their own, and deleted once': async ({ open }) => {
    const workspace = await open({ segments: [segment('a'), segment('b')] });
    await workspace.segments.put(segment('c'));
    await workspace.segments.put(segment('a', 'left'));
    expect(await workspace.segments.list()).toEqual([segment('a', 'left'), segment('b'), segment('c')]);
    expect(await workspace.segments.find('a')).toEqual(segment('a', 'left'));
    expect(await workspace.segments.delete('b')).toBe(true);
    expect(await workspace.segments.delete('b')).toBe(false);
    expect(await workspace.segments.find('b')).toBeUndefined();
    expect((await workspace.segments.list()).map(({ id }) => id)).toEqual(['a', 'c']);
  },

  'of journeys are added, put in the place of their own, and deleted once': async ({ open }) => {
    const workspace = await open({ journeys: [journey('a'), journey('b')] });
    await workspace.journeys.put(journey('c'));
    await workspace.journeys.put(journey('a', 'left'));
    expect(await workspace.journeys.list()).toEqual([journey('a', 'left'), journey('b'), journey('c')]);
    expect(await workspace.journeys.listStartedBy('left')).toEqual([journey('a', 'left')]);
    expect(await workspace.journeys.listStartedBy('seen')).toEqual([journey('b'), journey('c')]);
    expect(await workspace.journeys.delete('b')).toBe(true);
    expect(await workspace.journeys.delete('b')).toBe(false);
    expect(await workspace.journeys.find('b')).toBeUndefined();
    expect(await workspace.journeys.listStartedBy('seen')).toEqual([journey('c')]);
  },

  'are part of the state as they stand': async ({ open }) => {
    const workspace = await open({ templates: [template('a')], segments: [segment('a')] });
    await workspace.templates.put(template('b'));
    await workspace.segments.delete('a');
    await workspace.journeys.put(journey('a'));
    const state = await workspace.readState();
    expect(state.workspace).toMatchObject({
      templates: [template('a'), template('b')],
      segments: [],
      journeys: [journey('a')],
    });
    await workspace.templates.delete('a');
    expect(state.workspace.templates).toHaveLength(2);
    await workspace.replaceState(state);
    expect(await workspace.templates.list()).toHaveLength(2);
  },

  'are of their own workspace alone': async ({ open }) => {
    const [one, two] = [await open(), await open()];
    await one.templates.put(template('a'));
    await one.segments.put(segment('a'));
    await one.journeys.put(journey('a'));
    expect(await two.templates.list()).toEqual([]);
    expect(await two.segments.list()).toEqual([]);
    expect(await two.journeys.list()).toEqual([]);
  },
};
