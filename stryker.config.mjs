import areas from './scripts/mutants/areas.json' with { type: 'json' };

const name = process.env.MUTANTS_AREA ?? '';
const { mutate } = areas[name] ?? { mutate: [] };

/**
 * Mutates one area of the sources and runs its tests against each mutant: `npm run mutants -- <area>`.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Most endless loops are found by counting; what is left has to wait this long, so that a busy machine finds none.
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: `.cache/mutants/${name}.json`,
  tempDirName: '.cache/mutants/sandboxes',
  ignorePatterns: ['bench', 'coverage', 'dist', 'docs/api'],
  reporters: ['progress-append-only', 'clear-text', 'html'],
  htmlReporter: { fileName: `.cache/mutants/${name}.html` },
  clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
  thresholds: { high: 95, low: 90, break: 90 },
};
