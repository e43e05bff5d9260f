import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { outcomeOf } from '../package/commands.js';
import { repositoryFile } from '../repository.js';
import { readTestReport } from '../test-report.js';
import type { CheckResult } from './portable-suite.js';
import type { Runtime } from './runtimes.js';

const part = 'npm test';

/** Runs the repository's own tests on another version of Node.js, and gives those that passed or failed. */
export async function runRepositoryTests(runtime: Runtime, folder: string): Promise<readonly CheckResult[]> {
  const [node = ''] = runtime.command(folder);
  const scratch = await mkdtemp(join(tmpdir(), 'runtimes-'));
  const report = join(scratch, 'report.json');
  try {
    // Tests that start `node` are to start this one.
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
    const vitest = repositoryFile('node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`];
    await outcomeOf(node, args, { cwd: repositoryFile('.'), env });
    return read(await readFile(report, 'utf8'));
  } catch (error) {
    return [{ part, check: 'gives a report', failure: String(error) }];
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function read(report: string): readonly CheckResult[] {
  return readTestReport(report)
    .filter(({ passed, failure }) => passed || failure !== undefined)
    .map(({ name, failure }) => ({ part, check: name, ...(failure !== undefined && { failure }) }));
}
