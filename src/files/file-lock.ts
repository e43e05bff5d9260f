import { randomUUID } from 'node:crypto';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { isFileError } from './file-error.js';
import { describeThisProcess, hasSurelyEnded, readIdentity } from './process-identity.js';

/**
 * Creates the error for a file that another process has locked.
 *
 * @param owner - The owner, such as "in process 7 on this-machine". Empty if unknown.
 * @param lock - The lock file, which the user may delete if the owner has ended.
 */
export type Refusal = (owner: string, lock: string) => Error;

/**
 * Restricts a file to one user at a time, with a lock file next to it that only one process can create.
 *
 * It removes the lock of a process that has certainly ended. One process at a time does so: the process that holds the
 * takeover file checks the lock again, and removes it only if it is unchanged. So no process removes a newer lock.
 */
export class FileLock {
  readonly #lock: string;
  readonly #refuse: Refusal;
  /** The content of the lock file while this process holds it. */
  #text: string | undefined;

  constructor(file: string, refuse: Refusal) {
    this.#lock = `${file}.lock`;
    this.#refuse = refuse;
  }

  /** @throws The error of `refusal` when another process holds the lock, or may hold it. */
  async acquire(): Promise<void> {
    if (await this.#create()) return;
    const text = await readIfThere(this.#lock);
    if (text !== undefined && !(await hasSurelyEnded(readIdentity(text)))) throw this.#inUse(text);
    if (text !== undefined) await this.#remove(text);
    if (!(await this.#create())) throw this.#inUse((await readIfThere(this.#lock)) ?? '');
  }

  async release(): Promise<void> {
    const text = this.#text;
    this.#text = undefined;
    // If a person deleted the lock, another process may have created a new one.
    if (text !== undefined && (await readIfThere(this.#lock)) === text) await unlink(this.#lock);
  }

  async #create(): Promise<boolean> {
    const text = JSON.stringify({ ...(await describeThisProcess()), id: randomUUID() });
    const isCreated = await createOnce(this.#lock, text);
    if (isCreated) this.#text = text;
    return isCreated;
  }

  async #remove(text: string): Promise<void> {
    const takeover = `${this.#lock}.takeover`;
    if (!(await createOnce(takeover, ''))) throw this.#inUse(text, takeover);
    try {
      if ((await readIfThere(this.#lock)) === text) await unlink(this.#lock);
    } finally {
      await unlink(takeover);
    }
  }

  #inUse(text: string, lock = this.#lock): Error {
    return this.#refuse(describeOwner(text), lock);
  }
}

/** Creates a file; returns false if it exists. */
async function createOnce(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isFileError(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function describeOwner(text: string): string {
  const owner = readIdentity(text);
  return owner === undefined ? '' : `in process ${owner.pid} on ${owner.place}`;
}
