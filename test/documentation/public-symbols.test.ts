import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { taskOf, taskTitles } from '../../scripts/site/tasks.js';
import { publicEntries } from '../public-entries.js';
import { repositoryFile } from '../repository.js';
import { docCommentBlocks, markdownBlocks, plainText } from './code-blocks.js';
import { publicSymbols } from './public-symbols.js';

const symbols = publicSymbols();

test('every entry exports something', () => {
  expect(new Set(symbols.map(({ name }) => name.split(': ')[0])).size).toBe(publicEntries.length);
});

test('every public symbol has a doc comment', () => {
  const withoutComment = symbols.filter(({ comments }) => comments.length === 0);

  expect(withoutComment.map(({ name }) => name)).toEqual([]);
});

test('every public function and class has an example', () => {
  const withoutExample = symbols.filter(
    ({ isCallable, comments }) =>
      isCallable && !comments.some((comment) => /@example\s+```ts( vitest)?\n/.test(plainText(comment))),
  );

  expect(withoutExample.map(({ name }) => name)).toEqual([]);
});

test('every public symbol falls in a group of its module, and no group is empty', () => {
  const source = repositoryFile('src/');
  const members = symbols.map(({ name, comments }) => {
    const [module = '', symbol = ''] = name.split(': ');
    const path = comments[0]?.getSourceFile().fileName.replace(source, '') ?? '';
    return { module, symbol, task: taskOf(module, path, symbol) };
  });

  expect(members.filter(({ task }) => task === undefined)).toEqual([]);
  for (const module of new Set(members.map((member) => member.module))) {
    const tasks = members.filter((member) => member.module === module).map(({ task }) => task);
    expect(taskTitles(module).filter((title) => !tasks.includes(title))).toEqual([]);
  }
});

test('no sample falls back to a secret or a key that everybody knows, where its variable is not set', () => {
  const examples = readdirSync(repositoryFile('examples'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ origin: path, code: readFileSync(repositoryFile(`examples/${path}`), 'utf8') }));
  const samples = [...markdownBlocks(), ...docCommentBlocks(), ...examples];
  const fallBacks = samples.filter(({ code }) => /(SECRET|KEY)\b\W{0,4}(\?\?|\|\|)\s*['"`][^'"`]/.test(code));

  expect(samples.length).toBeGreaterThan(100);
  expect(fallBacks.map(({ origin }) => origin)).toEqual([]);
});
