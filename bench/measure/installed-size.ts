import { existsSync as exists } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The bytes of an installed package and of all that it depends on, and how many packages that makes. */
export async function installedSize(
  name: string,
  folder: string,
): Promise<{ bytes: number; packages: number }> {
  const directories = new Set([directoryOf(name, folder)]);
  let bytes = 0;
  for (const directory of directories) {
    bytes += await sizeOf(directory);
    const manifest: { dependencies?: Record<string, string> } = JSON.parse(
      await readFile(join(directory, 'package.json'), 'utf8'),
    );
    for (const dependency of Object.keys(manifest.dependencies ?? {}))
      directories.add(directoryOf(dependency, directory));
  }
  return { bytes, packages: directories.size };
}

/** Where Node finds the package from a folder; not every package lets its package.json be resolved. */
function directoryOf(name: string, folder: string): string {
  const places = createRequire(join(folder, 'package.json')).resolve.paths(name) ?? [];
  const found = places.map((place) => join(place, name)).find((path) => exists(join(path, 'package.json')));
  if (found === undefined) throw new Error(`${name} is not installed.`);
  return found;
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true });
  const sizes = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) return (await stat(path)).size;
    return entry.name === 'node_modules' ? 0 : sizeOf(path);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
