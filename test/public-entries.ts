import { publicEntries as entries } from '../scripts/public-entries.js';
import { repositoryFile } from './repository.js';

/** The import paths of the package, each with the absolute path of its source. */
export const publicEntries: readonly { readonly name: string; readonly source: string }[] = entries.map(
  ({ importPath, source }) => ({ name: importPath, source: repositoryFile(source) }),
);
