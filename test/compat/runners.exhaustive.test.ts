import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run } from '../package/commands.js';
import { testProject } from '../package/project.js';
import { repositoryFile } from '../repository.js';
import { folderOfPackage } from '../run/frameworks.js';

// What the guide shows for each test runner, in a project that has the packed package, the runner, and nothing else.

const installed = testProject();

/** The first sample of a guide after these words. */
function sampleAfter(words: string, guide = 'test-your-integration'): string {
  const [, rest = ''] = readFileSync(repositoryFile(`docs/guides/${guide}.md`), 'utf8').split(words);
  const [, sample] = /```(?:ts|js).*\n([\s\S]*?)```/.exec(rest) ?? [];
  if (sample === undefined) throw new Error(`The guide ${guide} has no sample after the words "${words}".`);
  return sample;
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

test('Jest runs its sample in TypeScript, by ts-jest', async () => {
  const inTypeScript = sampleAfter('In Jest, in `orders.test.js`')
    .replace(
      /^.*require.*$/m,
      `import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { createReferenceServer, type ReferenceWorkspace } from 'messaging-automation/server';`,
    )
    .replace('let workspace;', 'let workspace: ReferenceWorkspace;');
  await write('quota.test.ts', inTypeScript);
  await write('jest.config.js', tsJestConfig);

  await start('jest', 'bin/jest.js', 'quota.test.ts');
});

test('Jest runs its sample as JavaScript with require, without any configuration', async () => {
  await write('welcome.test.js', sampleAfter('In Jest, in `orders.test.js`'));

  await start('jest', 'bin/jest.js', '--config={}', 'welcome.test.js');
});

test("Node's test runner runs its sample", async () => {
  await write('consent.test.mjs', sampleAfter('## 6. Write a test', 'start-in-five-minutes'));

  const file = join(installed().folder, 'consent.test.mjs');
  expect(await run(installed().folder, process.execPath, '--test', file)).toContain('pass 1');
});
