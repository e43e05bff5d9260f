import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { run } from '../package/commands.js';
import { repositoryFile } from '../repository.js';

/** The package whose dependencies only the tests in `test/compat` need. The root installs without them. */
export interface InstalledFrameworks {
  /** The folder of its `package.json`. */
  readonly folder: string;
}

/** Installs the frameworks as their lockfile has them, if the last installation is older than the lockfile or incomplete. */
export async function installFrameworks(): Promise<InstalledFrameworks> {
  const folder = repositoryFile('test/compat');
  if (await isUpToDate(folder)) return { folder };
  try {
    await run(folder, 'npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  } catch (error) {
    throw new Error(
      'The tests need the packages of test/compat/package.json, and npm cannot install them. Connect to a registry once, and run `npx tsx test/run/install-frameworks.ts`.',
      { cause: error },
    );
  }
  return { folder };
}

/** npm writes its own lockfile into `node_modules` when everything else is there. */
async function isUpToDate(folder: string): Promise<boolean> {
  const [installed, wanted] = await Promise.all(
    ['node_modules/.package-lock.json', 'package-lock.json'].map((file) =>
      stat(`${folder}/${file}`).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
    ),
  );
  return installed !== undefined && wanted !== undefined && installed >= wanted;
}

const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(repositoryFile('test/compat/package.json'), 'utf8'),
);

/** The folder of a package that `test/compat` or the root depends on. */
export function folderOfPackage(name: string): string {
  return repositoryFile(`${Object.hasOwn(dependencies, name) ? 'test/compat/' : ''}node_modules/${name}`);
}
