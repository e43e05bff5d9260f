import { describe, expect, test } from 'vitest';
import { publicEntries } from '../../scripts/public-entries.js';
import {
  declaringProject,
  errorsIn,
  isOfOthers,
  modules,
  modulesOf,
  type Platform,
  platforms,
  results,
  testFetchFunctions,
  testResults,
  testSamples,
} from './declaring.js';

declaringProject();

describe('a program exports the result of every public function', { timeout: 300_000 }, () => {
  test('the list of them is long', () => {
    const all = [...results.values()].reduce((sum, count) => sum + count, 0);

    expect(all).toBeGreaterThan(4_000);
  });

  // A type that another import path exports has a name only if the import path loads that one.
  test.each(publicEntries)('of $importPath, which is all that it imports', async ({ file }) => {
    const settings = { ...modules.nodenext, ...platforms["Node's and DOM's types"] };

    const errors = await errorsIn(modulesOf([file]), 'TypeScript 7', settings);
    expect(errors.filter((error) => !isOfOthers(error))).toEqual([]);
  });

  const everyPlatform = Object.keys(platforms) as Platform[];
  testResults([
    ...everyPlatform.map((platform) => ({ compiler: 'TypeScript 7', platform, module: 'nodenext' }) as const),
    { compiler: 'TypeScript 7', platform: "Node's and DOM's types", module: 'bundler' },
    // The compilers before it take ten times as long. declarations.nightly.test.ts has the others.
    { compiler: 'TypeScript 5.4', platform: "Node's types", module: 'nodenext' },
  ]);
});

test(
  'each sample of the documentation compiles when it exports all that it declares',
  {
    timeout: 300_000,
  },
  () => testSamples('TypeScript 7'),
);

test.each(["Node's types", "Node's and DOM's types", "Bun's types"] as const)(
  'the option fetch takes that of undici, node-fetch, cross-fetch and the platform, beside %s',
  { timeout: 300_000 },
  (platform) => testFetchFunctions('TypeScript 7', platform),
);
