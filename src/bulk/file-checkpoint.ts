import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CheckpointStore } from '../client/bulk/checkpoint.js';
import { isFileError } from '../files/file-error.js';
import { FileLock } from '../files/file-lock.js';
import { replaceFile } from '../files/replace-file.js';
import { MessagingAutomationError } from '../foundation/base-error.js';

/** Options of {@link fileCheckpoint}. */
export interface FileCheckpointOptions {
  /**
   * Whether a run locks the file with a second file, whose name ends in `.lock`. A run takes over the lock of a process
   * that has ended. It does not take over the lock of another machine or container, because it cannot check whether
   * that still runs. Default: true.
   */
  readonly lock?: boolean | undefined;
}

/**
 * Stores the checkpoint of a bulk job in a file. Requires Node.js or a compatible runtime.
 *
 * It writes each checkpoint to a new file, flushes it to disk and renames it, so a crash or a power failure leaves
 * either the old checkpoint or the new one. A run locks the file: a second run with the same file rejects and sends
 * nothing.
 *
 * The file remains after the run, and a later run with it skips what is done. Use one file per job, and delete it when
 * you no longer need it.
 *
 * @param path The path of the file. Its folder must exist.
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
    throw error; // an unreadable file may contain a checkpoint, and a new start would send everything again
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
