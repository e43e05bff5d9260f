import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CheckpointStore } from '../client/bulk/checkpoint.js';
import { isFileError } from '../files/file-error.js';
import { FileLock } from '../files/file-lock.js';
import { replaceFile } from '../files/replace-file.js';
import { MessagingAutomationError } from '../foundation/base-error.js';

/** How {@link fileCheckpoint} keeps its file. */
export interface FileCheckpointOptions {
  /**
   * Whether a run locks the file against others, by a file beside it that ends in `.lock`. The lock of a process that has
   * ended is taken over. That of another machine or container is not, because it cannot be told whether it still runs.
   * Default: true.
   */
  readonly lock?: boolean | undefined;
}

/**
 * Keeps the checkpoint of a bulk job in a file. Only on Node.js and what is compatible with it.
 *
 * The file is replaced as a whole: a new one is written beside it, flushed to the disk, and renamed. So after a
 * crash or a power cut there is the old one or the new one, never half of one. A run locks the file: a second run with
 * it rejects, and sends nothing.
 *
 * Nobody deletes the file: a later run with it skips what is done. Use a file of its own for each job.
 *
 * @param path Where the file is, or will be. Its folder must exist.
 *
 * @example
 * ```ts
 * import { tmpdir } from 'node:os';
 * import { MessagingAutomation } from 'messaging-automation';
 * import { fileCheckpoint } from 'messaging-automation/bulk';
 *
 * const messaging = new MessagingAutomation();
 * const { done, skipped } = await messaging.contacts.upsertMany([{ phone: '+15551234567' }], {
 *   checkpoint: fileCheckpoint(`${tmpdir()}/import-${process.pid}.json`),
 * });
 * console.log(done, skipped);
 * ```
 */
export function fileCheckpoint(
  path: string,
  { lock = true }: FileCheckpointOptions = {},
): Required<CheckpointStore> {
  const file = resolve(path);
  const fileLock = lock ? new FileLock(file, (owner, path) => inUse(file, owner, path)) : undefined;
  return {
    open: async () => fileLock?.acquire(),
    load: () => readCheckpointFile(file),
    save: (checkpoint) => replaceFile(file, JSON.stringify(checkpoint)),
    close: async () => fileLock?.release(),
  };
}

function inUse(file: string, owner: string, lock: string): MessagingAutomationError {
  return new MessagingAutomationError(
    `The checkpoint file ${file} is used by another run${owner && `, ${owner}`}. Nothing was sent. ` +
      `Wait for it to end; if you are sure that it has ended, delete ${lock}.`,
  );
}

async function readCheckpointFile(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return undefined;
    throw error; // a file that cannot be read may hold a checkpoint: to start anew would send everything again
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new MessagingAutomationError(
      `The checkpoint file ${file} does not hold JSON. If it is not that of a bulk job, use another path; ` +
        'otherwise restore it, because without it everything would be sent again.',
    );
  }
}
