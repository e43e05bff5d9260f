import { readFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { run } from '../package/commands.js';
import { repositoryFile } from '../repository.js';

/** The package whose dependencies only the tests in `test/compat` need. The root installs without them. */
export interface InstalledFrameworks {
  /** The folder of its `package.json`. */
  readonly folder: string;
}

/** Where the lockfile stands by which the packages were installed. */
const copyOfLockfile = 'node_modules/.installed-lockfile.json';

/** Installs the frameworks as their lockfile has them, unless they are there. */
export async function installFrameworks(): Promise<InstalledFrameworks> {
  const folder = repositoryFile('test/compat');
  if (await isUpToDate(folder)) return { folder };
  try {
    await run(folder, 'npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The tests need the packages of test/compat/package.json, and npm cannot install them. Connect to a registry once, and run \`npx tsx test/run/install-frameworks.ts\`.\n${reason}`,
      { cause: error },
    );
  }
  await copyFile(`${folder}/package-lock.json`, `${folder}/${copyOfLockfile}`);
  return { folder };
}

/** npm empties `node_modules` first, so the copy of the lockfile there says that everything else is there too. */
async function isUpToDate(folder: string): Promise<boolean> {
  const [installed, wanted] = await Promise.all(
    [copyOfLockfile, 'package-lock.json'].map((file) =>
      readFile(`${folder}/${file}`, 'utf8').catch(() => undefined),
    ),
  );
  return installed !== undefined && installed === wanted;
}

const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(repositoryFile('test/compat/package.json'), 'utf8'),
);

/** The folder of a package that `test/compat` or the root depends on. */
export function folderOfPackage(name: string): string {
  return repositoryFile(`${Object.hasOwn(dependencies, name) ? 'test/compat/' : ''}node_modules/${name}`);
}
