import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * The path of a file without symbolic links. The file need not exist, nor the target of its link.
 *
 * @throws The error of the file system if the folder does not exist, or the links lead in a circle.
 */
export async function realPathOf(path: string, links = mostLinks): Promise<string> {
  const file = join(await realpath(dirname(resolve(path))), basename(path));
  const target = await readlink(file).catch(undefinedIf('ENOENT', 'EINVAL')); // nothing there, or no link
  if (target === undefined) return file;
  if (links === 0) return realpath(file); // fails with ELOOP
  return realPathOf(resolve(dirname(file), target), links - 1);
}

/** For the `catch` of a file operation: `undefined` if it failed with one of these codes. Any other error passes. */
export function undefinedIf(...codes: readonly string[]) {
  return (error: unknown): undefined => {
    if (!isFileError(error, ...codes)) throw error;
  };
}

/** Whether a file operation failed with one of these codes. */
export function isFileError(error: unknown, ...codes: readonly string[]): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code }: { code?: unknown } = error;
  return typeof code === 'string' && codes.includes(code);
}
