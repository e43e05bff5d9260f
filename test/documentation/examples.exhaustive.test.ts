import { expect, test } from 'vitest';
import { docCommentBlocks, markdownBlocks } from './code-blocks.js';
import { typeErrors, writeExampleFiles } from './example-files.js';
import { runExample } from './run-example.js';
import { runTestFiles, testRunners } from './run-test-files.js';

/** `ts` is run as it stands, `ts no-run` is type-checked alone, the others are tests for a runner. */
const checked = ['ts', 'ts no-run', ...testRunners.map((runner) => `ts ${runner}`)];
const blocks = [...markdownBlocks(), ...docCommentBlocks()];
const examples = writeExampleFiles(blocks.filter(({ info }) => checked.includes(info)));

test('code is marked so that it is checked', () => {
  const code = blocks.filter(({ info }) => /^(js|jsx|tsx|ts|javascript|typescript|)( .*)?$/i.test(info));

  // `js jest` runs in a fresh project: test/compat/runners.exhaustive.test.ts.
  const known = [...checked, 'js jest'];
  expect(code.filter(({ info }) => !known.includes(info)).map(({ origin }) => origin)).toEqual([]);
});

test('every example type-checks', { timeout: 120_000 }, () => {
  expect(typeErrors(examples)).toEqual([]);
});

const runnable = examples.filter(({ info }) => info === 'ts');

test.for(runnable.map(({ origin, path }) => [origin, path] as const))(
  'the example at %s runs',
  async ([, path]) => {
    await runExample(path);
  },
);

test.each(testRunners)('every example that is a test for %s passes there', { timeout: 120_000 }, (runner) => {
  const paths = examples.filter(({ info }) => info === `ts ${runner}`).map(({ path }) => path);

  expect(paths).not.toEqual([]);
  expect(runTestFiles(runner, paths)).toMatchObject({ status: 0 });
});
