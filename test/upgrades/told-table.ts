import { outcomeOf } from '../package/commands.js';
import { repositoryFile } from '../repository.js';
import { notRun } from '../run/debian.js';
import { missingCommits } from './earlier-package.js';
import { isAsExpected, type Row } from './table.js';

/** How long the script may take. In milliseconds. */
export const longestTelling = 300_000;

/** Why the script cannot run in this clone. Undefined if it can. */
export const missingHistory = await missingCommits();

/** The end of the name of a block that needs the commits of the earlier versions. */
export const unlessMissing = missingHistory === undefined ? '' : notRun('the upgrades', missingHistory);

/** Runs the script, and gives how many rows its table has, and those that are not as they should be. */
export async function tellTable(...words: readonly string[]) {
  const program = ['--import', 'tsx', 'test/upgrades/main.ts', '--json', ...words];
  const { stdout, stderr, ending } = await outcomeOf(process.execPath, program, { cwd: repositoryFile('.') });
  if (stdout === '') throw new Error(`${ending}:\n${stderr}`);
  const rows: readonly Row[] = JSON.parse(stdout);
  return { count: rows.length, wrong: rows.filter((row) => !isAsExpected(row)), ending };
}
