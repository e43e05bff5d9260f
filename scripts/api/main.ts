import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeGenerated } from '../generated-files.js';
import { publicEntries } from '../public-entries.js';
import { extractDeclarations } from './extract-declarations.js';
import { declarationsIn, reportOf } from './report.js';

/**
 * Writes a report of the types of each import path into `api/`, from the last build. With `--check`, it writes nothing and fails if
 * a type changed.
 */
const folder = await mkdtemp(join(tmpdir(), 'api-'));
try {
  const recorded = new Set<string>();
  const reports: Record<string, string> = {};
  for (const entry of publicEntries) {
    const declarations = declarationsIn(extractDeclarations(entry, folder));
    reports[`api/${entry.file}.api.md`] = reportOf(entry.importPath, declarations, recorded);
  }
  await writeGenerated(reports, 'npm run api');
} finally {
  await rm(folder, { recursive: true });
}
