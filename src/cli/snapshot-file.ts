import { readFile, rename, writeFile } from 'node:fs/promises';
import type { ReferenceServer } from '../server/index.js';
import { UsageError } from './usage-error.js';

/** Puts the server back to what a file holds that `writeSnapshotFile` wrote. */
export async function importSnapshotFile(server: ReferenceServer, path: string): Promise<void> {
  try {
    await server.restore(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new UsageError(
      `The snapshot file ${path} cannot be used.\n${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * Writes what the server holds to a file, for its owner's eyes alone: it holds signing secrets and phone numbers. The
 * file is whole at every moment, the one before or this one.
 */
export async function writeSnapshotFile(server: ReferenceServer, path: string): Promise<void> {
  const beside = `${path}.tmp`;
  await writeFile(beside, `${JSON.stringify(await server.snapshot(), null, 2)}\n`, { mode: 0o600 });
  await rename(beside, path);
}
