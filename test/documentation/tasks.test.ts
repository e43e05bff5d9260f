import { expect, test } from 'vitest';
import { taskOf, taskTitles } from '../../scripts/site/tasks.js';
import { repositoryFile } from '../repository.js';
import { publicSymbols } from './public-symbols.js';

const source = repositoryFile('src/');

const members = publicSymbols().map(({ name, comments }) => {
  const [module = '', symbol = ''] = name.split(': ');
  const path = comments[0]?.getSourceFile().fileName.replace(source, '') ?? '';
  return { module, symbol, task: taskOf(module, path, symbol) };
});

test('every public symbol falls in a group of its module, and no group is empty', () => {
  expect(members.filter(({ task }) => task === undefined)).toEqual([]);
  for (const module of new Set(members.map((member) => member.module))) {
    const tasks = members.filter((member) => member.module === module).map(({ task }) => task);
    expect(taskTitles(module).filter((title) => !tasks.includes(title))).toEqual([]);
  }
});
