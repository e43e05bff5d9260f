import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.js';

/** For the examples that are Vitest's tests; which files, the command line says. */
export default defineConfig({
  resolve: repository.resolve ?? {},
  test: { root: '.', include: ['.cache/examples/*.ts', '.cache/inspection-*/*.ts'] },
});
