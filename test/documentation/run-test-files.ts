import { spawnSync } from 'node:child_process';
import { repositoryFile } from '../repository.js';

/** The test runners that examples are written for. */
export const testRunners = ['vitest', 'node:test'] as const;

type TestRunner = (typeof testRunners)[number];

const commands: Readonly<Record<TestRunner, readonly string[]>> = {
  vitest: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/documentation/vitest.config.ts'],
  'node:test': ['--import', 'tsx', '--test'],
};

/** Runs files as tests, in a process of their own, as a reader would; what it prints says which of them fail. */
export function runTestFiles(
  runner: TestRunner,
  paths: readonly string[],
): { readonly status: number | null; readonly printed: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...commands[runner], ...paths], {
    cwd: repositoryFile('.'),
    encoding: 'utf8',
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
  });
  return { status, printed: stdout + stderr };
}
