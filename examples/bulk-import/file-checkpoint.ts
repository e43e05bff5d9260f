import { readFile, rename, writeFile } from 'node:fs/promises';
import type { CheckpointStore } from 'messaging-automation';

/** Keeps a checkpoint in a file. */
export function fileCheckpoint(path: string): CheckpointStore {
  return {
    async load() {
      try {
        return JSON.parse(await readFile(path, 'utf8'));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error; // a file that cannot be read is not the same as none
      }
    },
    async save(checkpoint) {
      // Flushed to the disk, then put in place of the one before in one step: a kill leaves the old one or the new one.
      await writeFile(`${path}.new`, JSON.stringify(checkpoint), { flush: true });
      await rename(`${path}.new`, path);
    },
  };
}
