import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guideIndex, readGuides } from '../../scripts/guides.js';
import { repositoryFile } from '../repository.js';
import { run } from './commands.js';
import { testProject } from './project.js';

/** A program that a guide says to save as an ES module, which Node.js runs without a compiler. */
interface Program {
  readonly name: string;
  /** `ts node:test` is a test, which runs here. Another program runs in test/documentation, which replaces the service. */
  readonly info: string;
  readonly code: string;
}

const pages = [guideIndex, ...readGuides().map(({ path }) => path)];
const programs: readonly Program[] = pages.flatMap((path) =>
  [...readFileSync(repositoryFile(path), 'utf8').matchAll(/(.*)\n\n```(ts.*)\n([\s\S]*?)^```$/gm)]
    .map(([, before = '', info = '', code = '']) => ({ name: nameIn(before), info, code }))
    .map((program) => (path === guideIndex ? { ...program, name: 'without-await-using.test.mjs' } : program))
    .filter(({ name }) => name !== ''),
);

/** The file that the line before a program names. */
function nameIn(line: string): string {
  return /`([\w.-]+\.mjs)`/.exec(line)?.[1] ?? '';
}

const installed = testProject();

async function node(program: Program, flag: string) {
  const file = join(installed().folder, program.name);
  await writeFile(file, program.code);
  return run(installed().folder, process.execPath, flag, file);
}

test('the index of the guides shows how to close a server without `await using`, and the guides have other programs', () => {
  expect(programs[0]?.code).toMatch(/\} finally \{\s+await server\.close\(\);/);
  expect(programs.length).toBeGreaterThan(3);
});

describe.each(programs)('what a guide saves as $name', (program) => {
  test('is JavaScript to this version of Node.js', async () => {
    await node(program, '--check');
  });

  test.runIf(program.info === 'ts node:test')('passes as a test', async () => {
    expect(await node(program, '--test')).toContain('pass 1');
  });
});
