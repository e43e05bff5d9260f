import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package of which at least one byte stands in dist/. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX identifier. */
  readonly license: string;
  readonly description: string | undefined;
  /** Where it is installed, relative to the repository. */
  readonly directory: string;
}

/** What matters here of an esbuild metafile. */
interface BundleRecord {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

/** Reads what the build recorded of itself (tsup.config.ts), so that nobody has to keep a list by hand. */
export async function readBundledPackages(folder = '.cache/bundle'): Promise<readonly BundledPackage[]> {
  const records = await readdir(folder).catch(() => []);
  if (records.length === 0) throw new Error(`${folder} is empty; run \`npm run build\` first.`);

  const directories = new Set<string>();
  for (const record of records) {
    const metafile: BundleRecord = JSON.parse(await readFile(join(folder, record), 'utf8'));
    for (const output of Object.values(metafile.outputs)) {
      for (const [path, input] of Object.entries(output.inputs)) {
        const directory = packageDirectory(path);
        if (directory !== undefined && input.bytesInOutput > 0) directories.add(directory);
      }
    }
  }
  const packages = await Promise.all([...directories].map(readPackage));
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packageDirectory(path: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

async function readPackage(directory: string): Promise<BundledPackage> {
  const manifest: Record<string, unknown> = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  );
  const { name, version, license, description } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string' || typeof license !== 'string') {
    throw new Error(`${directory}/package.json must state name, version and license.`);
  }
  return {
    name,
    version,
    license,
    description: typeof description === 'string' ? description : undefined,
    directory,
  };
}
