import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createReferenceServer } from 'messaging-automation/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';
import { repositoryFile } from '../repository.js';
import { environment } from './commands.js';
import { type InstalledPackage, installPackedPackage } from './installed-package.js';

/** A program that a guide says to save as an ES module, which Node.js runs without a compiler. */
interface Program {
  readonly name: string;
  /** `ts` runs as it stands, `ts node:test` is a test, and `ts no-run` does not end by itself. */
  readonly info: string;
  readonly code: string;
}

const pages = [repositoryFile('README.md'), ...readGuides().map(({ path }) => repositoryFile(path))];
const programs: readonly Program[] = pages.flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/`([\w.-]+\.mjs)`[^`]*\n\n```(ts.*)\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', info = '', code = '']) => ({ name, info, code }),
  ),
);

let installed: InstalledPackage;

beforeAll(async () => {
  installed = await installPackedPackage();
});

afterAll(() => installed[Symbol.asyncDispose]());

async function node(program: Program, settings: NodeJS.ProcessEnv, ...flags: readonly string[]) {
  const file = join(installed.folder, program.name);
  await writeFile(file, program.code);
  return promisify(execFile)(process.execPath, [...flags, file], {
    cwd: installed.folder,
    env: { ...environment(), ...settings },
  });
}

test('the guides have such programs, one of them a test that closes its server without `await using`', () => {
  const tests = programs.filter(({ info }) => info === 'ts node:test');

  expect(programs.map(({ info }) => info)).toEqual(expect.arrayContaining(['ts', 'ts no-run']));
  expect(tests.map(({ code }) => code)).toContainEqual(
    expect.stringMatching(/\} finally \{\s+await server\.close\(\);/),
  );
});

describe.each(programs)('what a guide saves as $name', (program) => {
  test('is JavaScript to this version of Node.js', async () => {
    await node(program, {}, '--check');
  });

  test.runIf(program.info === 'ts')('runs against a reference server', async () => {
    await using server = createReferenceServer({ apiKey: 'test_key' });
    const { baseUrl } = await server.listen();
    await node(program, {
      MESSAGING_AUTOMATION_API_KEY: 'test_key',
      MESSAGING_AUTOMATION_BASE_URL: baseUrl,
    });
  });

  test.runIf(program.info === 'ts node:test')('passes as a test', async () => {
    const { stdout } = await node(program, {}, '--test');
    expect(stdout).toContain('pass 1');
  });
});
