import { access, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stagePackage } from '../../scripts/package/stage.js';
import { repositoryFile } from '../repository.js';
import { environment, run } from './commands.js';

/** The packed package, installed in a project of its own that has nothing else. */
export interface InstalledPackage extends AsyncDisposable {
  /** The project's folder. */
  readonly folder: string;
  /** The sum of the files' sizes, in bytes. */
  readonly unpackedSize: number;
  /** The paths of the files in the package. */
  readonly files: readonly string[];
  /** Copies a program from `test/package/consumer` into the project. */
  add(program: string): Promise<void>;
}

/** Packs the last build as it is published and installs the tarball, without a network, in a new temporary folder. */
export async function installPackedPackage(): Promise<InstalledPackage> {
  await access(repositoryFile('dist/index.js')).catch(() => {
    throw new Error('dist/ does not exist. Run `npm run build` first, or all of `npm test`.');
  });
  const folder = await mkdtemp(join(tmpdir(), 'messaging-automation-'));
  const staged = join(folder, 'staged');
  await stagePackage(staged, environment());
  const report = await run(staged, 'npm', 'pack', '--json', '--pack-destination', folder);
  await rm(staged, { recursive: true });
  const [packed]: [{ filename: string; unpackedSize: number; files: { path: string }[] }] =
    JSON.parse(report);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`);
  return {
    folder,
    unpackedSize: packed.unpackedSize,
    files: packed.files.map(({ path }) => path),
    add: (program) => copyFile(repositoryFile(`test/package/consumer/${program}`), join(folder, program)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
