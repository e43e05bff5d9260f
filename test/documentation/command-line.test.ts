import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from '../cli/fake-terminal.js';
import { repositoryFile } from '../repository.js';

const guide = readFileSync(repositoryFile('docs/guides/command-line.md'), 'utf8');
const commands = [...guide.matchAll(/^## `(.+)`$/gm)].map(([, command = '']) => command);

test.each(commands)('the guide shows the help of %s as it is', async (command) => {
  const terminal = new FakeTerminal();
  expect(await run([...command.split(' '), '--help'], terminal)).toBe(0);
  expect(guide).toContain(`\n\`\`\`text\n${terminal.output}\n\`\`\`\n`);
});

test('the guide has a part on every command', async () => {
  const terminal = new FakeTerminal();
  await run(['--help'], terminal);
  const all = [...terminal.output.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, command = '']) => command);
  const own = commands.map((command) => command.replace(/ .*/, ''));
  expect(own.toSorted()).toEqual(all.filter((name) => name !== 'help').toSorted());
});
