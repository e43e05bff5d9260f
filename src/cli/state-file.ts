import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isFileError } from '../files/file-error.js';
import { FileLock } from '../files/file-lock.js';
import { replaceFile } from '../files/replace-file.js';
import { messageOf } from './message-of.js';
import { UsageError } from './usage-error.js';

/** The file of `serve --state`, which one process has at a time. */
export class StateFile {
  readonly path: string;
  readonly #lock: FileLock;

  private constructor(path: string) {
    this.path = path;
    this.#lock = new FileLock(path, (owner, lock) => inUse(path, owner, lock));
  }

  /** @throws UsageError where another process has the file, or its folder cannot be written to. */
  static async open(name: string): Promise<StateFile> {
    // A link stays one: what it leads to is replaced.
    const file = new StateFile(await realpath(name).catch(() => resolve(name)));
    try {
      await file.#lock.acquire();
    } catch (error) {
      throw error instanceof UsageError ? error : file.refusal(error);
    }
    return file;
  }

  /** What the file holds; undefined where there is none yet. */
  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8'));
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return undefined;
      throw this.refusal(error);
    }
  }

  /** Puts a text in its place, for its owner's eyes alone: it holds signing secrets and phone numbers. */
  write(text: string): Promise<void> {
    return replaceFile(this.path, text, 0o600);
  }

  /** Lets another process have the file. */
  close(): Promise<void> {
    return this.#lock.release();
  }

  /** Why the file is of no use, with the way out. */
  refusal(reason: unknown): UsageError {
    return new UsageError(
      `The state file ${this.path} cannot be used.\n${messageOf(reason)}\n` +
        'Mend that, name another file, or move this one away to begin anew.',
    );
  }
}

function inUse(path: string, owner: string, lock: string): UsageError {
  return new UsageError(
    `The state file ${path} is in use by another serve${owner && `, ${owner}`}. Stop that one, or name another file. ` +
      `If you are sure that it has ended, delete ${lock}.`,
  );
}
