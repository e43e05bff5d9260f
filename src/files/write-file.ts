import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isFileError } from './real-path.js';

/**
 * Replaces the content of a file atomically, and resolves once it is durable. Make one replacement at a time. It removes
 * the leftovers of a replacement that a crash interrupted.
 *
 * @param content - A text, or pieces of one. The event loop runs between two pieces.
 * @param mode - The permissions of the file. Default: those of new files of this process.
 */
export async function replaceFile(
  path: string,
  content: string | Iterable<string>,
  mode?: number,
): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  try {
    await writeAndFlush(temporary, typeof content === 'string' ? [content] : content, 'wx', mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}); // report the original error
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Creates the folder of a file, unless it exists. */
export async function createFolderOf(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
}

/** Appends a text to a file that exists, and resolves once it is durable. */
export async function appendToFile(path: string, text: string): Promise<void> {
  await writeAndFlush(path, [text], 'a');
}

/** Creates a file that does not exist, and resolves once it is durable. */
export async function createFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await writeAndFlush(path, [bytes], 'wx', mode).catch(async (error: unknown) => {
    if (!isFileError(error, 'EEXIST')) await rm(path, { force: true }).catch(() => {});
    throw error;
  });
  await syncFolder(dirname(path));
}

async function writeAndFlush(
  path: string,
  pieces: Iterable<string | Uint8Array>,
  flags: string,
  mode?: number,
): Promise<void> {
  const file = await open(path, flags, mode);
  try {
    for (const piece of pieces) await file.appendFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes the folder, which contains the rename. Some platforms, such as Windows, cannot flush a folder. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The content is safe, under the old name or the new one.
  }
}
