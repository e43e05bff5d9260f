import { readFile } from 'node:fs/promises';
import { writeGenerated } from './generated-files.js';
import { guideIndex, readGuides, withCurrentEntries } from './guides.js';

const index = await readFile(guideIndex, 'utf8');

await writeGenerated({ [guideIndex]: withCurrentEntries(index, readGuides()) }, 'npm run guides');
