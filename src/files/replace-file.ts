import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a text in place of a file, in one step that a crash cannot divide, and resolves once it would survive a power
 * cut. One replacement at a time. What a crash has left of an earlier one goes.
 *
 * @param mode - The file's permissions. Default: those that the process gives to new files.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  try {
    await writeAndFlush(temporary, text, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}); // why it could not be replaced is what matters
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeAndFlush(path: string, text: string, mode: number | undefined): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The renaming is in the folder. Some platforms cannot flush a folder, Windows among them; then there is no more to do. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The file itself is safe, under its old name or its new one.
  }
}
