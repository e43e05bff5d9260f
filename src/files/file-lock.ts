import { randomUUID } from 'node:crypto';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { isFileError } from './file-error.js';
import { describeThisProcess, hasSurelyEnded, readIdentity } from './process-identity.js';

/**
 * Makes the error for a file that another has.
 *
 * @param owner - Who has it, as in "in process 7 on this-machine"; empty where that cannot be told.
 * @param lock - The file to delete where the owner has surely ended.
 */
export type Refusal = (owner: string, lock: string) => Error;

/**
 * Keeps a file to one user at a time, by a file beside it that can be created only once.
 *
 * A lock whose process has surely ended is removed, by one process at a time: whoever holds the takeover file looks
 * at the lock again and removes it only if it is still the same. So nobody removes a lock that was taken since.
 */
export class FileLock {
  readonly #lock: string;
  readonly #refuse: Refusal;
  /** What this process wrote into it, while it holds it. */
  #text: string | undefined;

  constructor(file: string, refuse: Refusal) {
    this.#lock = `${file}.lock`;
    this.#refuse = refuse;
  }

  /** @throws What the refusal gives, where another process holds the lock, or may hold it. */
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
    // Whoever deleted it by hand may have let another in.
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

/** Creates a file; false where there is one already. */
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
