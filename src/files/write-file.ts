import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces the content of a file atomically, and resolves once it is durable. Make one replacement at a time. It removes
 * the leftovers of a replacement that a crash interrupted.
 *
 * @param mode - The permissions of the file. Default: those of new files of this process.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  try {
    await writeAndFlush(temporary, text, 'wx', mode);
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
  await writeAndFlush(path, text, 'a');
}

async function writeAndFlush(path: string, text: string, flags: string, mode?: number): Promise<void> {
  const file = await open(path, flags, mode);
  try {
    await file.writeFile(text);
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
