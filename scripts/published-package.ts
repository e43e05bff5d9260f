import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What `npm pack` says of a package. */
export interface PackedPackage {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** The fields of the manifest that only a clone of the repository uses. */
const ofTheRepository = ['scripts', 'devDependencies', 'overrides', 'allowScripts'];

/** The manifest that is published: without the scripts and the dependencies of who works on the package. */
export function publishedManifest(manifest: object): object {
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => !ofTheRepository.includes(name)));
}

/**
 * Packs the last build as it is published, into a folder.
 *
 * @param root - The folder of the repository.
 */
export async function packForPublishing(root: string, folder: string): Promise<PackedPackage> {
  const whole = await pack(root, folder);
  // A tarball has everything in a folder named `package`.
  await execute('tar', ['-xzf', whole.filename], { cwd: folder });
  const unpacked = join(folder, 'package');
  const manifest = join(unpacked, 'package.json');
  const published = publishedManifest(JSON.parse(await readFile(manifest, 'utf8')));
  await writeFile(manifest, `${JSON.stringify(published, null, 2)}\n`);
  return pack(unpacked, folder);
}

async function pack(from: string, folder: string): Promise<PackedPackage> {
  await mkdir(folder, { recursive: true });
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await execute('npm', words, { cwd: from, maxBuffer: 64 * 1024 * 1024 });
  const [packed]: [PackedPackage] = JSON.parse(stdout);
  return packed;
}
