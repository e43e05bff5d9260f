import * as z from 'zod/mini';
import { described, limit, optionalText } from '../fields.js';
import { findSections, titleOf } from '../guides.js';
import { shortened } from '../readable.js';
import { readingTool } from '../tool.js';

const usual = 3;
const longestSection = 3_000;

export const searchGuides = readingTool({
  name: 'search_guides',
  title: 'Search the guides',
  description:
    'Searches the guides of this version of messaging-automation, offline: the client, errors and retries, webhooks and their ' +
    'signatures, testing, faults, the command line. Use it before you write code against the package. Not for what happened in ' +
    'the workspace: use read_journal.',
  isPublic: true,
  input: z.strictObject({
    query: described(z.string().check(z.minLength(1)), 'A few words, such as: verify webhook express.'),
    limit: limit(6, usual),
  }),
  output: z.object({
    sections: z.array(
      z.object({ guide: z.string(), file: z.string(), heading: z.string(), text: z.string() }),
    ),
    hint: optionalText('What to do next.'),
  }),
  run: async ({ query, limit: most = usual }, call) => {
    const guides = await call.guides();
    const sections = findSections(guides, query, most).map((section) => ({
      ...section,
      file: `docs/guides/${section.file}`,
      text: shortened(section.text, longestSection),
    }));
    if (sections.length > 0) return { sections };
    return { sections, hint: `No section has these words. The guides: ${guides.map(titleOf).join('; ')}.` };
  },
});
