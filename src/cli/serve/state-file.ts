import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { FileLock } from '../../files/file-lock.js';
import { isFileError, realPathOf } from '../../files/real-path.js';
import { replaceFile } from '../../files/write-file.js';
import { parseServerState, type ReferenceServer, type ServerState } from '../../server/index.js';
import { endOfFailedTest } from '../../server/state/keep-on-failure.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';

/** How long changes are collected before a write, in milliseconds. Together with the write it must take less than a second. */
const gathering = 250;

/** How long to wait after a failed write, in milliseconds. */
const recovery = 1_000;

/** The file of `serve --state`. */
export type StateFile = Awaited<ReturnType<typeof openStateFile>>;

/**
 * Opens the file of `serve --state`. Only one process uses it at a time.
 *
 * @throws UsageError if another process uses the file, or its folder is not writable.
 */
export async function openStateFile(name: string) {
  if (name.endsWith(endOfFailedTest) && !existsSync(name)) {
    throw new UsageError(
      `There is no file ${name} of a failed test. If it is in an artifact of CI, download that, and name the file where you unpacked it. ` +
        'Otherwise run this in the folder in which the test ran.',
    );
  }
  const path = await realPathOf(name).catch((error: unknown) => {
    throw unusable(name, error);
  });
  const lock = new FileLock(path);
  /** An error that says why the file is unusable, and what to do. */
  const refusal = (reason: unknown) => unusable(path, reason);
  const isFree = await lock.acquire().catch((error: unknown) => {
    throw refusal(error);
  });
  if (!isFree) {
    throw new UsageError(
      `The state file ${path} is in use by another serve. Stop that one, or name another file. ` +
        `If you are sure that it has ended, delete ${lock.path}.`,
    );
  }
  return {
    path,
    refusal,

    /** Reads the file. Resolves to `undefined` if it does not exist. */
    async read(): Promise<ServerState | undefined> {
      try {
        return parseServerState(JSON.parse(await readFile(path, 'utf8')));
      } catch (error) {
        if (isFileError(error, 'ENOENT')) return undefined;
        throw refusal(error);
      }
    },

    /** Replaces the file. Only its owner can read it, because it holds signing secrets and phone numbers. */
    async write(text: string): Promise<void> {
      if (!(await lock.isHeld()))
        throw new Error(`Its lock ${lock.path} was deleted, or another serve took it.`);
      await replaceFile(path, text, 0o600);
    },

    /** Releases the file for other processes. */
    close: () => lock.release(),
  };
}

/**
 * Writes the state of a server to its file now, and within a second of each change: one write at a time, and only if the state differs.
 *
 * @returns A function that writes the last changes. It resolves to false if that failed.
 * @throws UsageError if the first write fails.
 */
export async function keepState(
  server: Pick<ReferenceServer, 'state' | 'onChange'>,
  file: Pick<StateFile, 'path' | 'write'>,
  terminal: Pick<Terminal, 'clock' | 'complain'>,
): Promise<() => Promise<boolean>> {
  let written: string | undefined;
  let failure: string | undefined;
  let isEnded = false;
  /** Cancels the next write, if one is due. It reads the state only when it begins. */
  let cancelNext: (() => void) | undefined;
  const write = async () => {
    cancelNext = undefined;
    const text = `${JSON.stringify(await server.state())}\n`;
    if (text === written) return;
    await file.write(text);
    written = text;
  };
  /** Never rejects: a disk that is full must not end the server. */
  const attempt = async () => {
    try {
      await write();
      if (failure !== undefined) terminal.complain('The state is written again.\n');
      failure = undefined;
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== failure) {
        terminal.complain(
          `The state cannot be written: ${reason}\nUntil it is written again, changes are only in memory.\n`,
        );
      }
      failure = reason;
      changed();
    }
  };
  const changed = () => {
    if (isEnded) return;
    cancelNext ??= terminal.clock.setTimer(
      () => {
        writing = writing.then(attempt);
      },
      failure === undefined ? gathering : recovery,
    );
  };
  const end = () => {
    isEnded = true;
    cancelNext?.();
  };
  server.onChange(changed);
  let writing = write();
  await writing.catch((error: unknown) => {
    end();
    throw new UsageError(`The state file ${file.path} cannot be written.\n${messageOf(error)}`);
  });
  return async () => {
    end();
    await writing;
    await attempt();
    return failure === undefined;
  };
}

function unusable(path: string, reason: unknown): UsageError {
  return new UsageError(
    `The state file ${path} cannot be used.\n${messageOf(reason)}\n` +
      'Correct the file, name another one, or move it away to start over.',
  );
}
