import { readFileSync } from 'node:fs';
import { repositoryFile } from '../../repository.js';

/** The statements that the guide has for the role of the servers. */
export function permissionsInGuide(): readonly string[] {
  const guide = readFileSync(repositoryFile('docs/operations.md'), 'utf8');
  const [, block = ''] = /^```sql\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const statements = block.split(';\n').filter((statement) => statement.trim() !== '');
  if (statements.length === 0) throw new Error('The guide shows no permissions.');
  return statements;
}
