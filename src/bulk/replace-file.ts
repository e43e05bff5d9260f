import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a text in place of a file, in one step that a crash cannot divide, and resolves once it would survive a power
 * cut. One replacement at a time.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
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
