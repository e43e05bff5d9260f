import { fileURLToPath } from 'node:url';

/** The absolute path of a file or folder of this repository. */
export function repositoryFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
