import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// npm packs a Git dependency after this script, and without `prepack`. Only when it packs does it set npm_package_resolved, so
// `npm ci` in a clone builds nothing.
if (process.env.npm_package_resolved !== undefined && !existsSync('dist'))
  execSync('npm run build', { stdio: 'inherit' });
