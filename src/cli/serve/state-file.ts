import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileAdvice } from '../../files/file-advice.js';
import { FileLock } from '../../files/file-lock.js';
import { keepBeside } from '../../files/keep-beside.js';
import { realPathOf, undefinedIf } from '../../files/real-path.js';
import { replaceFile } from '../../files/write-file.js';
import { parseServerState, type ServerState } from '../../server/index.js';
import { endOfFailedTest } from '../../server/state/keep-on-failure.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import { mostBytes, stateTooLarge } from './state-text.js';

/** The file of `serve --state`. Only one process uses it at a time, and no content that another one wrote is lost. */
export class StateFile {
  readonly path: string;
  readonly #lock: FileLock;
  /** The file as this process has read or written it. Undefined if it did not exist. */
  #known: Stats | undefined;
  /** Where the content of an earlier version is kept, if the file had one. */
  earlierVersion: string | undefined;

  /**
   * Opens the file, and keeps it from other processes until `close`.
   *
   * @throws UsageError if another process uses the file, or it can be no state file.
   */
  static async open(name: string): Promise<StateFile> {
    await refuseNonFile(name);
    const path = await realPathOf(name).catch((error: unknown) => {
      throw unusable(name, error);
    });
    const file = new StateFile(path);
    // Any number of processes can read it, also in a folder that is read-only.
    if (file.#isOfFailedTest) return file;
    const isFree = await file.#lock.acquire().catch((error: unknown) => {
      throw file.refusal(error);
    });
    if (isFree) return file;
    throw new UsageError(
      `The state file ${path} is in use by another serve. Stop that one, or name another file. ` +
        `If you are sure that it has ended, delete ${file.#lock.path}.`,
    );
  }

  get #isOfFailedTest(): boolean {
    return this.path.endsWith(endOfFailedTest);
  }

  private constructor(path: string) {
    this.path = path;
    this.#lock = new FileLock(path);
  }

  /** An error that says why the file is unusable, and what to do. */
  readonly refusal = (reason: unknown): UsageError => unusable(this.path, reason);

  /**
   * Reads the file. Resolves to `undefined` if it does not exist, or is empty. Keeps the content of an earlier version beside it.
   *
   * @throws UsageError if it has no state that this version can read.
   */
  async read(): Promise<ServerState | undefined> {
    try {
      this.#known = await statIfThere(this.path);
      if (this.#known === undefined) return undefined;
      if (this.#known.size > mostBytes) throw stateTooLarge();
      const bytes = await readFile(this.path);
      const text = textOf(bytes);
      if (text.trim() === '' && !this.#isOfFailedTest) return undefined;
      const written: unknown = parsed(text);
      const state = parseServerState(written);
      if (this.#isOfFailedTest && state.failedTest === undefined) {
        throw new Error(
          'It is named like the file of a failed test, but does not hold one. Give it another name.',
        );
      }
      const version: unknown = Reflect.get(Object(written), 'version');
      if (version !== state.version && state.failedTest === undefined) {
        this.earlierVersion = await keepBeside(this.path, `version-${version}`, bytes);
      }
      return state;
    } catch (error) {
      throw this.refusal(error);
    }
  }

  /**
   * Replaces the file. Only its owner can read it, because it holds signing secrets and phone numbers. If another program has written it,
   * keeps what that wrote beside it, and resolves to the path of that.
   */
  async write(pieces: Iterable<string>): Promise<string | undefined> {
    if (!(await this.#lock.isHeld())) {
      throw new Error(`Its lock ${this.#lock.path} was deleted, or another serve took it.`);
    }
    const ofOther = await this.#keepOther();
    await replaceFile(this.path, pieces, 0o600);
    this.#known = await statIfThere(this.path);
    return ofOther;
  }

  /** Releases the file for other processes. */
  close(): Promise<void> {
    return this.#lock.release();
  }

  /** Keeps what another program has written into the file since this process did. */
  async #keepOther(): Promise<string | undefined> {
    const there = await statIfThere(this.path);
    if (there === undefined || !there.isFile() || isSame(there, this.#known)) return undefined;
    return keepBeside(this.path, 'changed', await readFile(this.path));
  }
}

/** Why an operation on the file failed, and what to do about it. */
export function reasonWithAdvice(error: unknown): string {
  return [messageOf(error), fileAdvice(error) ?? []].flat().join('\n');
}

function unusable(path: string, reason: unknown): UsageError {
  const advice = fileAdvice(reason) ?? 'Correct the file, name another one, or move it away to start over.';
  return new UsageError(`The state file ${path} cannot be used.\n${messageOf(reason)}\n${advice}`);
}

/** @throws UsageError if what has this name can hold no state. */
async function refuseNonFile(name: string): Promise<void> {
  const there = await statIfThere(resolve(name)).catch((error: unknown) => {
    throw unusable(name, error);
  });
  if (there === undefined && name.endsWith(endOfFailedTest)) {
    throw new UsageError(
      `There is no file ${name} of a failed test. If it is in an artifact of CI, download that, and name the file where you unpacked it. ` +
        'Otherwise run this in the folder in which the test ran.',
    );
  }
  const isFolder = there?.isDirectory() || name.endsWith('/');
  if (!isFolder && (there === undefined || there.isFile())) return;
  throw new UsageError(
    isFolder
      ? `The state file ${name} cannot be used.\nIt is a folder. Name a file in it, such as ${join(name, 'state.json')}.`
      : `The state file ${name} cannot be used.\nIt is a pipe, a socket or a device, which keeps nothing. Name a file.`,
  );
}

/** Decodes the text. Refuses damaged bytes: a substitute for them would be written back. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('It is not valid UTF-8: it was damaged, or saved in another encoding.');
  }
}

/** Reads the JSON. The error of `JSON.parse` would show some of the file, which has secrets. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(
      'It is not valid JSON: it was cut off or changed, or another program is still writing it.',
    );
  }
}

function statIfThere(path: string): Promise<Stats | undefined> {
  return stat(path).catch(undefinedIf('ENOENT'));
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;
}
