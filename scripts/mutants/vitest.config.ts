import { defineConfig } from 'vitest/config';
import repository from '../../vitest.config.js';
import areas from './areas.json' with { type: 'json' };

const wanted = Object.entries(areas).find(([name]) => name === process.env.MUTANTS_AREA);

/** The tests of the area whose mutants are run, and no others. */
export default defineConfig({
  resolve: repository.resolve ?? {},
  test: {
    include: wanted?.[1].tests ?? [],
    testTimeout: 90_000,
    globalSetup: repository.test?.globalSetup ?? [],
  },
});
