import { altered, alteredTogether } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';

export const brokenDefinitions: readonly BrokenStore[] = [
  [
    'puts a template that is changed at the end',
    'definitions: of templates are added, put in the place of their own, and deleted once',
    altered((kept) => ({
      templates: {
        async put(template) {
          await kept.templates.delete(template.id);
          await kept.templates.put(template);
        },
      },
    })),
  ],
  [
    'says of segments that are gone that it has deleted them',
    'definitions: of segments are added, put in the place of their own, and deleted once',
    altered((kept) => ({
      segments: {
        async delete(segmentId) {
          await kept.segments.delete(segmentId);
          return true;
        },
      },
    })),
  ],
  [
    'keeps the event of a journey that is replaced',
    'definitions: of journeys are added, put in the place of their own, and deleted once',
    altered((kept) => ({
      journeys: {
        async put(journey) {
          const known = await kept.journeys.find(journey.id);
          await kept.journeys.put({ ...journey, event: known?.event ?? journey.event });
        },
      },
    })),
  ],
  [
    'has its definitions in its state as they were in the beginning',
    'definitions: are part of the state as they stand',
    altered((kept) => {
      const beginning = kept.readState();
      return {
        root: {
          async readState() {
            const { templates, segments, journeys } = (await beginning).workspace;
            const state = await kept.readState();
            return { ...state, workspace: { ...state.workspace, templates, segments, journeys } };
          },
        },
      };
    }),
  ],
  [
    'lists the templates of all workspaces',
    'definitions: are of their own workspace alone',
    alteredTogether((_, all) => ({
      templates: {
        list: async () => (await Promise.all(all.map(({ templates }) => templates.list()))).flat(),
      },
    })),
  ],
];
