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
    await workspace.putTemplate(template('c'));
    await workspace.putTemplate(template('a', 'Bye'));
    expect(await workspace.listTemplates()).toEqual([template('a', 'Bye'), template('b'), template('c')]);
    expect(await workspace.findTemplate('a')).toEqual(template('a', 'Bye'));
    expect(await workspace.deleteTemplate('b')).toBe(true);
    expect(await workspace.deleteTemplate('b')).toBe(false);
    expect(await workspace.findTemplate('b')).toBeUndefined();
    expect((await workspace.listTemplates()).map(({ id }) => id)).toEqual(['a', 'c']);
  },

  'of segments are added, put in the place of their own, and deleted once': async ({ open }) => {
    const workspace = await open({ segments: [segment('a'), segment('b')] });
    await workspace.putSegment(segment('c'));
    await workspace.putSegment(segment('a', 'left'));
    expect(await workspace.listSegments()).toEqual([segment('a', 'left'), segment('b'), segment('c')]);
    expect(await workspace.findSegment('a')).toEqual(segment('a', 'left'));
    expect(await workspace.deleteSegment('b')).toBe(true);
    expect(await workspace.deleteSegment('b')).toBe(false);
    expect(await workspace.findSegment('b')).toBeUndefined();
    expect((await workspace.listSegments()).map(({ id }) => id)).toEqual(['a', 'c']);
  },

  'of journeys are added, put in the place of their own, and deleted once': async ({ open }) => {
    const workspace = await open({ journeys: [journey('a'), journey('b')] });
    await workspace.putJourney(journey('c'));
    await workspace.putJourney(journey('a', 'left'));
    expect(await workspace.listJourneys()).toEqual([journey('a', 'left'), journey('b'), journey('c')]);
    expect(await workspace.listJourneysStartedBy('left')).toEqual([journey('a', 'left')]);
    expect(await workspace.listJourneysStartedBy('seen')).toEqual([journey('b'), journey('c')]);
    expect(await workspace.deleteJourney('b')).toBe(true);
    expect(await workspace.deleteJourney('b')).toBe(false);
    expect(await workspace.findJourney('b')).toBeUndefined();
    expect(await workspace.listJourneysStartedBy('seen')).toEqual([journey('c')]);
  },

  'are part of the state as they stand': async ({ open }) => {
    const workspace = await open({ templates: [template('a')], segments: [segment('a')] });
    await workspace.putTemplate(template('b'));
    await workspace.deleteSegment('a');
    await workspace.putJourney(journey('a'));
    const state = await workspace.readState();
    expect(state.workspace).toMatchObject({
      templates: [template('a'), template('b')],
      segments: [],
      journeys: [journey('a')],
    });
    await workspace.deleteTemplate('a');
    expect(state.workspace.templates).toHaveLength(2);
    await workspace.replaceState(state);
    expect(await workspace.listTemplates()).toHaveLength(2);
  },

  'are of their own workspace alone': async ({ open }) => {
    const [one, two] = [await open(), await open()];
    await one.putTemplate(template('a'));
    await one.putSegment(segment('a'));
    await one.putJourney(journey('a'));
    expect(await two.listTemplates()).toEqual([]);
    expect(await two.listSegments()).toEqual([]);
    expect(await two.listJourneys()).toEqual([]);
  },
};
