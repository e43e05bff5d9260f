import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packForPublishing } from '../../scripts/published-package.js';
import { run } from '../package/commands.js';
import { repositoryFile } from '../repository.js';

/** What a build is made from. */
const inputs = ['src', 'scripts', 'docs/guides', 'package.json', 'tsconfig.json', 'tsup.config.ts'];

let building: Promise<unknown> = Promise.resolve();

/** Builds the package, if the last build is older than its sources or has no types though they are needed. */
export async function buildPackage(what: 'code' | 'code and types'): Promise<{ readonly folder: string }> {
  const build = building.then(async () => {
    const changed = await latestChange(inputs);
    const isOlder = async (output: string) => {
      const file = await stat(repositoryFile(output)).catch(() => undefined);
      return file === undefined || file.mtimeMs < changed;
    };
    // The last file that each script writes.
    const needsCode = (await isOlder('llms.txt')) || (await isOlder('dist/index.js'));
    if (needsCode) await run(repositoryFile('.'), 'npm', 'run', 'build:code');
    if (what === 'code') return;
    if (needsCode || (await isOlder('dist/index.d.ts')))
      await run(repositoryFile('.'), 'npm', 'run', 'build:types');
  });
  building = build.catch(() => {});
  await build;
  return { folder: repositoryFile('dist') };
}

async function latestChange(paths: readonly string[]): Promise<number> {
  let latest = 0;
  for (const path of paths) {
    const file = await stat(repositoryFile(path));
    latest = Math.max(latest, file.mtimeMs);
    if (!file.isDirectory()) continue;
    const below = await readdir(repositoryFile(path));
    latest = Math.max(latest, await latestChange(below.map((name) => join(path, name))));
  }
  return latest;
}

/** The packed package, installed in a project of its own that has nothing else. */
export interface InstalledPackage {
  /** The project's folder. */
  readonly folder: string;
  /** The sum of the files' sizes, in bytes. */
  readonly unpackedSize: number;
  /** The paths of the files in the package. */
  readonly files: readonly string[];
}

/** Packs the build, as `npm run release` does, and installs the tarball, without a network, in a new temporary folder. */
export async function installPackedPackage(): Promise<
  InstalledPackage & { readonly remove: () => Promise<void> }
> {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-automation-'));
  const tarballs = await mkdtemp(join(tmpdir(), 'messaging-automation-packed-'));
  const packed = await packForPublishing(repositoryFile('.'), tarballs);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await run(
    folder,
    'npm',
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    join(tarballs, packed.filename),
  );
  await rm(tarballs, { recursive: true });
  return {
    folder,
    unpackedSize: packed.unpackedSize,
    files: packed.files.map(({ path }) => path),
    // A process of the test may still write while it ends.
    remove: () => rm(folder, { recursive: true, maxRetries: 10, retryDelay: 100 }),
  };
}
