import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from '../cli/fake-terminal.js';
import { repositoryFile } from '../repository.js';

const guide = readFileSync(repositoryFile('docs/guides/command-line.md'), 'utf8');
const sections = [...guide.matchAll(/^## `(.+)`$/gm)].map(([, command = '']) => command);

async function helpOf(...command: readonly string[]): Promise<string> {
  const terminal = new FakeTerminal();
  expect(await run([...command, '--help'], terminal)).toBe(0);
  return terminal.output;
}

const commands = [...(await helpOf()).matchAll(/^ {2}([a-z]+) .*/gm)]
  .map(([, command = '']) => command)
  .filter((command) => command !== 'help');

test('the guide has a section on every command', () => {
  expect(sections.map((section) => section.replace(/ .*/, '')).toSorted()).toEqual(commands.toSorted());
});

/** The command lines of the samples, with the words of each. */
const commandLines = [
  ...readGuides(),
  { path: 'README.md', text: readFileSync(repositoryFile('README.md'), 'utf8') },
].flatMap(({ path, text }) =>
  [...text.matchAll(/^\$? ?(?:.*\bnpx |\$ )messaging-automation ([a-z].*)$/gm)].map(
    ([, line = '']) => [path, line.replace(/(?: +#|[)|]).*/, '')] as const,
  ),
);

test('the samples have command lines', () => {
  expect(commandLines.length).toBeGreaterThan(20);
});

test.each(commandLines)('a sample of %s has a command and options that exist: %s', async (_path, line) => {
  const command = line.split(' ').slice(0, line.startsWith('contacts ') ? 2 : 1);
  expect(commands).toContain(command[0]);
  const help = await helpOf(...command);
  const options = [...line.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([option]) => option);
  expect(options.filter((option) => !help.includes(option))).toEqual([]);
});
