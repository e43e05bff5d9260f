/**
 * Mutates one area of the sources and sees whether its tests notice: `npm run mutants -- verification`. What has not
 * changed since the last run is not run again; `--force` runs everything. Exits with 1 below the threshold.
 */
import { spawnSync } from 'node:child_process';
import areas from './areas.json' with { type: 'json' };

const [name = '', ...others] = process.argv.slice(2);
if (name in areas) {
  const { status } = spawnSync('npx', ['--no-install', 'stryker', 'run', ...others], {
    stdio: 'inherit',
    env: { ...process.env, MUTANTS_AREA: name },
  });
  process.exitCode = status ?? 1;
} else {
  console.error(`Name an area: npm run mutants -- ${Object.keys(areas).join(' | ')}`);
  process.exitCode = 2;
}
