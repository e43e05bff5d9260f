import { readdir } from 'node:fs/promises';

/** What tools keep between runs, in a temporary folder that is not the run's. */
const caches = [/^tsx-\d+$/, /^node-compile-cache$/, /^jest_/];

/** The names in a folder that are not a tool's cache. */
export async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => !caches.some((cache) => cache.test(name)));
}
