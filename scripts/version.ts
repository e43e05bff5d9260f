import { readFile } from 'node:fs/promises';
import { writeGenerated } from './generated-files.js';

const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'));

await writeGenerated(
  {
    'src/foundation/version.ts':
      '/** The version of this package, as `package.json` has it: written by `npm run version`, held by a test. */\n' +
      `export const packageVersion = '${version}';\n`,
  },
  'npm run version:source',
);
