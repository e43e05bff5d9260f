import { readFile } from 'node:fs/promises';
import { withOptionTable } from './client-options.js';
import { writeGenerated } from './generated-files.js';
import { guideIndex, readGuides, withCurrentEntries } from './guides.js';

const clientGuide = 'docs/guides/client.md';

await writeGenerated(
  {
    [guideIndex]: withCurrentEntries(await readFile(guideIndex, 'utf8'), readGuides()),
    [clientGuide]: withOptionTable(
      await readFile(clientGuide, 'utf8'),
      await readFile('src/client/configuration.ts', 'utf8'),
    ),
  },
  'npm run guides',
);
