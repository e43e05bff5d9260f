import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';
import { run } from './commands.js';
import { testProject } from './project.js';

/** A program that a guide says to save as an ES module, which Node.js runs without a compiler. */
interface Program {
  readonly name: string;
  /** `ts node:test` is a test, which runs here. Another program runs in test/documentation, which replaces the service. */
  readonly info: string;
  readonly code: string;
}

const programs: readonly Program[] = readGuides().flatMap(({ text }) =>
  [...text.matchAll(/(.*)\n\n```(ts.*)\n([\s\S]*?)^```$/gm)]
    .map(([, before = '', info = '', code = '']) => ({ name: nameIn(before), info, code }))
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

test('the guides have programs that Node.js runs without a compiler', () => {
  expect(programs.length).toBeGreaterThanOrEqual(3);
});

describe.each(programs)('what a guide saves as $name', (program) => {
  test('is JavaScript to this version of Node.js', async () => {
    await node(program, '--check');
  });

  test.runIf(program.info === 'ts node:test')('passes as a test', async () => {
    expect(await node(program, '--test')).toContain('pass 1');
  });
});
