import { readFile } from 'node:fs/promises';
import { undefinedIf } from './real-path.js';
import { createFile } from './write-file.js';

/** How many copies with the same ending are kept. */
const mostCopies = 9;

/**
 * Keeps what a file has, or had, in a file beside it: `state.json.ending`, or `state.json.ending-2`. Never changes a file that exists. If one
 * of the copies has the same bytes, there is no other.
 *
 * @returns The path of the copy.
 * @throws Error if there are nine copies with other bytes.
 */
export async function keepBeside(path: string, ending: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1; number <= mostCopies; number += 1) {
    const copy = `${path}.${ending}${number === 1 ? '' : `-${number}`}`;
    const isCreated = await createFile(copy, bytes, 0o600).then(() => true, undefinedIf('EEXIST'));
    if (isCreated || (await readFile(copy)).equals(bytes)) return copy;
  }
  throw new Error(
    `What it has would be kept as ${path}.${ending}, but there are ${mostCopies} such copies already. Move them away.`,
  );
}
