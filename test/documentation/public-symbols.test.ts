import { expect, test } from 'vitest';
import { publicEntries } from '../public-entries.js';
import { plainText } from './code-blocks.js';
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
