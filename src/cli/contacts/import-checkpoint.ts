import { fileCheckpoint } from '../../bulk/index.js';
import type { CheckpointStore } from '../../index.js';
import { UsageError } from '../terminal/failures.js';

/**
 * The checkpoint of an import in a file. It counts rows, so it is valid only for one table, one mapping of its columns and one
 * deployment.
 *
 * @param source - A digest of these three.
 * @param onLoaded - Called when no other run uses the file and its content matches.
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
      const whole: unknown = Array.isArray(stored) ? stored[0] : stored; // followed by the changes after it
      const { source: before }: { readonly source?: unknown } = Object(whole);
      if (stored !== undefined && before !== source) {
        throw new UsageError(
          `${path} belongs to another import: the CSV file, its columns or the server is another one. Nothing was ` +
            'sent. Continue that import, name another file with --checkpoint, or delete this one to import all rows.',
        );
      }
      await onLoaded();
      return stored;
    },
    save: (checkpoint) => {
      const known = { ...checkpoint, source };
      return file.save(known);
    },
  };
}
