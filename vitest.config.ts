import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests use the package by its public names; here those names are its sources.
    alias: [
      { find: /^messaging-automation$/, replacement: source('index.ts') },
      {
        find: /^messaging-automation\/(webhooks|server|msw|vitest|undici|bulk|conformance|postgres)$/,
        replacement: source('$1/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // By default one processor is left free, which on a machine with two halves the speed.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/leftovers/global-setup.ts'],
    // No test asserts a time; this only ends what hangs, and is generous to a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      include: ['src/**'],
      // The page runs in a browser, where test/workbench sees to it.
      exclude: ['src/workbench/**'],
      thresholds: { branches: 90, functions: 90, lines: 90, statements: 90 },
    },
  },
});
