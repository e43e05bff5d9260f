import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of the guides in this package, which finds its manifest by its name, wherever its files are. */
export function guidesFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('messaging-automation/package.json');
  return join(dirname(manifest), 'docs', 'guides');
}
