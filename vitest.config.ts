import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { publicEntries } from './scripts/public-entries.js';

export default defineConfig({
  resolve: {
    // Tests use the package by its public names; here those names are its sources.
    alias: publicEntries.map(({ importPath, source }) => ({
      find: new RegExp(`^${importPath}$`),
      replacement: fileURLToPath(new URL(source, import.meta.url)),
    })),
  },
  test: {
    include: ['test/**/*.test.ts'],
    // By default one processor is left free, which on a machine with two halves the speed.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/leftovers/global-setup.ts'],
    // No test asserts a time; this only ends what hangs, and is generous to a busy machine.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    coverage: {
      include: ['src/**'],
      // The page runs in a browser, where test/workbench sees to it.
      exclude: ['src/workbench/**'],
      thresholds: { branches: 90, functions: 90, lines: 90, statements: 90 },
    },
  },
});
