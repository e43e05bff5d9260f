import { fileCheckpoint } from '../bulk/index.js';
import type { CheckpointStore } from '../index.js';
import { UsageError } from './usage-error.js';

/**
 * The checkpoint of an import in a file. It counts rows, so it is good for one table, read in one way, at one deployment.
 *
 * @param source - Stands for these three.
 * @param onLoaded - Called once no other run has the file, and what it holds fits.
 */
export function importCheckpoint(
  path: string,
  source: string,
  onLoaded: () => Promise<void>,
): CheckpointStore {
  const file = fileCheckpoint(path);
  return {
    ...file,
    load: async () => {
      const stored = await file.load();
      const { source: before }: { readonly source?: unknown } = Object(stored);
      if (stored !== undefined && before !== source) throw new UsageError(ofAnother(path));
      await onLoaded();
      return stored;
    },
    save: (checkpoint) => {
      const known = { ...checkpoint, source };
      return file.save(known);
    },
  };
}

function ofAnother(path: string): string {
  return (
    `${path} says how far another import came: since then the file was edited, or its columns are mapped in another ` +
    'way, or it is another server. Nothing was sent. Go on with that one, name another file with --checkpoint, or ' +
    'delete this one to import all rows.'
  );
}
