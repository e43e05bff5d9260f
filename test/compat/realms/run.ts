import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { outcomeOf, environment as shellEnvironment } from '../../package/commands.js';
import { folderOfPackage } from '../../run/frameworks.js';
import { type ReportedTest, readTestReport } from '../../test-report.js';
import { bundleName } from './bundle.js';
import type { Environment } from './environments.js';
import { type Suite, suites } from './suites.js';

/** What a runner had to say of the suites. */
export interface Run {
  /** The tests of a suite, in their order. */
  testsOf(suite: Suite): readonly ReportedTest[];
}

/** Runs every suite that an environment can run, in one process of its runner. */
export async function runSuites(environment: Environment, folder: string): Promise<Run> {
  const { runner, variables, without = {} } = environment;
  const report = join(folder, `${environment.name.replaceAll(/\W+/g, '-')}.json`);
  const names = suites.filter(({ name }) => !(name in without)).map((suite) => bundleName(suite, runner));
  const command = commands[runner](report, names);
  const { stdout, stderr } = await outcomeOf(process.execPath, [...command, ...environment.arguments], {
    cwd: folder,
    env: { ...shellEnvironment(), ...variables },
  });
  const tests = await readFile(report, 'utf8').then(readTestReport, (error: Error) => {
    throw new Error(`${environment.name} gave no report:\n${stdout}${stderr}`, { cause: error });
  });
  return {
    testsOf: (suite) => tests.filter(({ file }) => basename(file) === basename(bundleName(suite, runner))),
  };
}

type Command = (report: string, files: readonly string[]) => readonly string[];

const commands: Readonly<Record<Environment['runner'], Command>> = {
  jest: (report, files) => [
    `${folderOfPackage('jest')}/bin/jest.js`,
    '--runInBand',
    '--rootDir=.',
    `--testMatch=**/jest/*.test.cjs`,
    '--testTimeout=30000',
    '--json',
    `--outputFile=${report}`,
    '--runTestsByPath',
    ...files,
  ],
  vitest: (report, files) => [
    `${folderOfPackage('vitest')}/vitest.mjs`,
    'run',
    '--reporter=json',
    `--outputFile=${report}`,
    '--maxWorkers=1',
    ...files,
  ],
};
