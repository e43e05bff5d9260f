import { describe, expect, test } from 'vitest';
import { docCommentBlocks, markdownBlocks } from './code-blocks.js';
import { typeErrors, writeExampleFiles } from './example-files.js';
import { runExample } from './run-example.js';

const blocks = [...markdownBlocks(), ...docCommentBlocks()];
const examples = writeExampleFiles(blocks.filter(({ info }) => info === 'ts' || info === 'ts no-run'));

test('code is marked so that it is checked', () => {
  const unchecked = blocks.filter(({ info }) => /^(js|jsx|tsx|javascript|typescript|ts .*)?$/i.test(info));

  expect(unchecked.filter(({ info }) => info !== 'ts no-run').map(({ origin }) => origin)).toEqual([]);
});

test('every example type-checks', { timeout: 120_000 }, () => {
  expect(typeErrors(examples)).toEqual([]);
});

describe('every example runs', () => {
  const runnable = examples.filter(({ info }) => info === 'ts');

  test.for(runnable.map(({ origin, path }) => [origin, path] as const))(
    '%s',
    { timeout: 20_000 },
    async ([, path]) => {
      await runExample(path);
    },
  );
});
