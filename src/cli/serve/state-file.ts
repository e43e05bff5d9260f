import { readFile } from 'node:fs/promises';
import { isFileError } from '../../files/file-error.js';
import { FileLock } from '../../files/file-lock.js';
import { realPathOf } from '../../files/real-path.js';
import { replaceFile } from '../../files/write-file.js';
import { messageOf, UsageError } from '../terminal/failures.js';

/** The file of `serve --state`. Only one process uses it at a time. */
export class StateFile {
  readonly path: string;
  readonly #lock: FileLock;

  private constructor(path: string) {
    this.path = path;
    this.#lock = new FileLock(path);
  }

  /** @throws UsageError if another process uses the file, or its folder is not writable. */
  static async open(name: string): Promise<StateFile> {
    const path = await realPathOf(name).catch((error: unknown) => {
      throw unusable(name, error);
    });
    const file = new StateFile(path);
    const isFree = await file.#lock.acquire().catch((error: unknown) => {
      throw file.refusal(error);
    });
    if (!isFree) throw inUse(path, file.#lock.path);
    return file;
  }

  /** Reads the file. Resolves to `undefined` if it does not exist. */
  async read(): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8'));
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return undefined;
      throw this.refusal(error);
    }
  }

  /** Replaces the file. Only its owner can read it, because it holds signing secrets and phone numbers. */
  async write(text: string): Promise<void> {
    if (!(await this.#lock.isHeld()))
      throw new Error(`Its lock ${this.#lock.path} was deleted, or another serve took it.`);
    await replaceFile(this.path, text, 0o600);
  }

  /** Releases the file for other processes. */
  close(): Promise<void> {
    return this.#lock.release();
  }

  /** An error that says why the file is unusable, and what to do. */
  refusal(reason: unknown): UsageError {
    return unusable(this.path, reason);
  }
}

function unusable(path: string, reason: unknown): UsageError {
  return new UsageError(
    `The state file ${path} cannot be used.\n${messageOf(reason)}\n` +
      'Correct the file, name another one, or move it away to start over.',
  );
}

function inUse(path: string, lock: string): UsageError {
  return new UsageError(
    `The state file ${path} is in use by another serve. Stop that one, or name another file. ` +
      `If you are sure that it has ended, delete ${lock}.`,
  );
}
