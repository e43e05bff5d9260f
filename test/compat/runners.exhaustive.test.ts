import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run } from '../package/commands.js';
import { testProject } from '../package/project.js';
import { repositoryFile } from '../repository.js';
import { folderOfPackage } from '../run/frameworks.js';

// What the guide shows for each test runner, in a project that has the packed package, the runner, and nothing else.

const guide = readFileSync(repositoryFile('docs/guides/test-your-integration.md'), 'utf8');
const installed = testProject();

/** The first sample of the guide after these words. */
function sampleAfter(words: string): string {
  const [, rest] = guide.split(words);
  return /```(?:ts|js).*\n([\s\S]*?)```/.exec(rest ?? '')?.[1] ?? '';
}

/** What `npx ts-jest config:init` writes. */
const tsJestConfig = `const { createDefaultPreset } = require('ts-jest');
module.exports = { testEnvironment: 'node', transform: { ...createDefaultPreset().transform } };
`;

/** Runs a program of a package of this repository in the project. */
function start(name: string, program: string, ...words: readonly string[]): Promise<string> {
  return run(installed().folder, process.execPath, `${folderOfPackage(name)}/${program}`, ...words);
}

const write = (name: string, text: string) => writeFile(join(installed().folder, name), text);

beforeAll(async () => {
  await mkdir(join(installed().folder, 'node_modules/@jest'));
  for (const name of ['vitest', 'jest', '@jest/globals', 'ts-jest', 'typescript'])
    await symlink(folderOfPackage(name), join(installed().folder, 'node_modules', name));
});

test('Vitest runs its sample', async () => {
  await write('welcome.test.ts', sampleAfter('Save this as `welcome.test.ts`'));

  expect(await start('vitest', 'vitest.mjs', 'run', 'welcome.test.ts')).toContain('1 passed');
});

test('Jest runs its sample, by ts-jest', async () => {
  const sample = sampleAfter('In Jest, import from `@jest/globals`');
  await write('quota.test.ts', sample.replace("from 'vitest'", "from '@jest/globals'"));
  await write('jest.config.js', tsJestConfig);

  await start('jest', 'bin/jest.js', 'quota.test.ts');
});

test('Jest runs its sample as JavaScript with require, without any configuration', async () => {
  await write('welcome.test.js', sampleAfter('Without TypeScript, use `require`'));

  await start('jest', 'bin/jest.js', '--config={}', 'welcome.test.js');
});

test("Node's test runner runs its sample", async () => {
  await write('consent.test.mjs', sampleAfter("In Node's test runner:"));

  const file = join(installed().folder, 'consent.test.mjs');
  expect(await run(installed().folder, process.execPath, '--test', file)).toContain('pass 1');
});
