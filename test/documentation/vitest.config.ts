import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.js';

/** For the examples that are Vitest's tests; which files, the command line says. */
export default defineConfig({
  resolve: repository.resolve ?? {},
  // One graph of modules: loading the package for each file would take most of the time.
  test: { root: '.', isolate: false, include: ['.cache/examples/*.ts', '.cache/inspection-*/*.ts'] },
});
