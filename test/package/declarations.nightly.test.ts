import { describe, test } from 'vitest';
import { declaringProject, testFetchFunctions, testResults, testSamples } from './declaring.js';

declaringProject();

// TypeScript before 7 takes ten times as long. declarations.exhaustive.test.ts has the newest, and the results with the oldest.
describe('a program exports the result of every public function', { timeout: 300_000 }, () => {
  testResults([
    { compiler: 'TypeScript 5.4', platform: "Workers' types", module: 'bundler' },
    ...(['TypeScript 5.9', 'TypeScript 6'] as const).flatMap(
      (compiler) =>
        [
          { compiler, platform: "Node's types", module: 'nodenext' },
          { compiler, platform: "Workers' types", module: 'bundler' },
        ] as const,
    ),
  ]);
});

test.each(['TypeScript 5.9', 'TypeScript 6'] as const)(
  'each sample of the documentation compiles with %s when it exports all that it declares',
  { timeout: 300_000 },
  testSamples,
);

test.each(["Node's types", "Node's and DOM's types", "Bun's types"] as const)(
  'the option fetch takes that of undici, node-fetch, cross-fetch and the platform, beside %s, with TypeScript 5.4',
  { timeout: 300_000 },
  (platform) => testFetchFunctions('TypeScript 5.4', platform),
);
