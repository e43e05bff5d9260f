import { readdirSync } from 'node:fs';
import { repositoryFile } from '../../repository.js';

/** Tests of this repository that also run on the packed package, inside other runners. */
export interface Suite {
  /** The name of its column, and of its bundle. */
  readonly name: string;
  /** The path of the file, from the repository's root. */
  readonly file: string;
}

/** The folders of the adapter × fault matrices, each with the name that its suites have. */
const folders = { adapters: 'test/webhooks/adapters', frameworks: 'test/compat/adapters' };

/**
 * The fault matrix over each transport, and the adapter × fault matrix of each family of adapters. Next.js is not among
 * them: what it builds and serves runs in a realm of its own, whatever the tests run in.
 */
export const suites: readonly Suite[] = [
  { name: 'fetch', file: 'test/client/fault-matrix.test.ts' },
  { name: 'undici', file: 'test/undici/fault-matrix.exhaustive.test.ts' },
  ...Object.entries(folders).flatMap(([kind, folder]) =>
    readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('matrix.exhaustive.test.ts'))
      .sort()
      .map((path) => ({
        name: `${kind}-${path.replace(/[-/]matrix\.exhaustive\.test\.ts$/, '').replaceAll('/', '-')}`,
        file: `${folder}/${path}`,
      })),
  ),
];
