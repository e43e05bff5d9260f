import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CheckpointStore } from '../client/bulk/checkpoint.js';
import { FileLock } from '../files/file-lock.js';
import { realPathOf, undefinedIf } from '../files/real-path.js';
import { appendToFile, replaceFile } from '../files/write-file.js';
import { MessagingAutomationError } from '../foundation/base-error.js';
import { aText, checkArgument, checkOptions, trueOrFalse } from '../foundation/options.js';

/** Options of {@link fileCheckpoint}. */
export type FileCheckpointOptions = {
  /**
   * Whether a run locks the file with a second file, whose name ends in `.lock`. A run touches its lock every two
   * seconds, and takes over a lock that was not touched for ten seconds, also that of another machine or container that has ended. So a
   * second run needs up to ten seconds to start, or to reject. Default: true.
   */
  readonly lock?: boolean | undefined;
};

/**
 * Stores the checkpoint of a bulk job in a file. Requires Node.js or a compatible runtime.
 *
 * It appends each change to the file and flushes it to disk, so its size grows with the number of items, and from time to
 * time replaces the file by a shorter one. A crash or a power failure loses nothing that was saved. A run locks the file:
 * a second run with the same file, also by another name of it, rejects and sends nothing.
 *
 * The file remains after the run, and a later run with it skips what is done. Use one file per job, and delete it when
 * you no longer need it.
 *
 * @param path The path of the file. Its folder must exist.
 * @throws {ConfigurationError} when the path or an option is invalid.
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
export function fileCheckpoint(path: string, options: FileCheckpointOptions = {}): Required<CheckpointStore> {
  checkArgument('fileCheckpoint', 'path', path, aText);
  checkOptions('fileCheckpoint', options, { lock: trueOrFalse });
  const { lock: isLocked = true } = options;
  const given = resolve(path);
  let found: Promise<string> | undefined;
  let lock: FileLock | undefined;
  // A link that is made or turned later must not lead a running job elsewhere.
  const file = () => (found ??= realPathOf(given));
  const stillOurs = async () => {
    if (lock !== undefined && !(await lock.isHeld())) throw lockLost(await file(), lock.path);
  };
  return {
    open: async () => {
      if (!isLocked) return;
      const wanted = new FileLock(await file());
      if (!(await wanted.acquire())) throw inUse(await file(), wanted.path);
      lock = wanted;
    },
    load: async () => readCheckpointFile(await file()),
    save: async (checkpoint) => {
      await stillOurs();
      await replaceFile(await file(), `${JSON.stringify(checkpoint)}\n`);
    },
    append: async (change) => {
      await stillOurs();
      await appendToFile(await file(), `${JSON.stringify(change)}\n`);
    },
    close: async () => lock?.release(),
  };
}

function inUse(file: string, lock: string): MessagingAutomationError {
  return new MessagingAutomationError(
    `The checkpoint file ${file} is used by another run. Nothing was sent. ` +
      `Wait for it to end; if you are sure that it has ended, delete ${lock}.`,
  );
}

function lockLost(file: string, lock: string): MessagingAutomationError {
  return new MessagingAutomationError(
    `The lock of the checkpoint file, ${lock}, was deleted, or another run took it because this process was paused. ` +
      `The run sends nothing more, because another run may continue with ${file}.`,
  );
}

/** A checkpoint, or an array of it and the changes after it, each in a line of its own. */
async function readCheckpointFile(file: string): Promise<unknown> {
  // An unreadable file may contain a checkpoint, and a new start would send everything again.
  const text = await readFile(file, 'utf8').catch(undefinedIf('ENOENT'));
  if (text === undefined) return undefined;
  const [checkpoint = '', ...changes] = text.split('\n');
  // A crash may have cut the last change. No request relies on a change that is not whole.
  changes.pop();
  try {
    return changes.length === 0
      ? JSON.parse(checkpoint)
      : [checkpoint, ...changes].map((line) => JSON.parse(line));
  } catch {
    throw new MessagingAutomationError(
      `The checkpoint file ${file} does not hold JSON. If it is not that of a bulk job, use another path; ` +
        'otherwise restore it, because without it everything would be sent again.',
    );
  }
}
