import { readFile } from 'node:fs/promises';
import { writeGenerated } from './generated-files.js';
import { withTables } from './ledger-tables.js';

const path = 'docs/contract.md';

await writeGenerated({ [path]: withTables(await readFile(path, 'utf8')) }, 'npm run ledger');
