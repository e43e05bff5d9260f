import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { repositoryFile } from '../repository.js';
import type { CheckResult } from './portable-suite.js';
import type { Runtime } from './runtimes.js';

/** The part of Vitest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the repository's own tests on another version of Node.js, and gives those that passed or failed. */
export async function runRepositoryTests(runtime: Runtime, folder: string): Promise<readonly CheckResult[]> {
  const [node = ''] = runtime.command(folder);
  const scratch = await mkdtemp(join(tmpdir(), 'runtimes-'));
  const report = join(scratch, 'report.json');
  try {
    await new Promise((resolve) => {
      const vitest = repositoryFile('node_modules/vitest/vitest.mjs');
      // Tests that start `node` are to start this one.
      const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
      const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`];
      const child = spawn(node, args, { cwd: repositoryFile('.'), env, stdio: 'ignore' });
      child.on('error', resolve).on('close', resolve);
    });
    return read(JSON.parse(await readFile(report, 'utf8')));
  } catch (error) {
    return [{ part: 'npm test', check: 'gives a report', failure: String(error) }];
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function read({ testResults }: Report): readonly CheckResult[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const part = 'npm test';
    const tests = assertionResults
      .filter((test) => test.status === 'passed' || test.status === 'failed')
      .map((test) => ({
        part,
        check: test.fullName,
        ...(test.status === 'failed' && { failure: test.failureMessages.join('\n') }),
      }));
    // A file that could not be loaded has no tests, and has failed all the same.
    const unloaded = status === 'failed' && !tests.some((test) => 'failure' in test);
    return unloaded ? [...tests, { part, check: name, failure: message }] : tests;
  });
}
