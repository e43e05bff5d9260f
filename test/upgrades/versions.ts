import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryFile } from '../repository.js';
import { buildEarlier, type EarlierVersion } from './earlier-package.js';

/** The package in one version: a folder with its `dist/`. */
export interface PackageVersion {
  /** `0.1.0`, or `this version`. */
  readonly name: string;
  readonly folder: string;
}

/** An earlier version and this one, as a story upgrades from the one to the other. */
export interface Upgrade {
  readonly from: EarlierVersion;
  readonly earlier: PackageVersion;
  readonly current: PackageVersion;
}

/** The entries of the package. What only an earlier version has, a story asks for by `entryOf` with a type of its own. */
interface Entries {
  readonly index: typeof import('messaging-automation');
  readonly bulk: typeof import('messaging-automation/bulk');
  readonly server: typeof import('messaging-automation/server');
  readonly webhooks: typeof import('messaging-automation/webhooks');
}

export async function upgradeFrom(from: EarlierVersion): Promise<Upgrade> {
  return {
    from,
    earlier: { name: from, folder: await buildEarlier(from) },
    current: { name: 'this version', folder: repositoryFile('.') },
  };
}

/** Loads an entry of a version as it is built. */
export async function entryOf<Name extends keyof Entries, Entry = Entries[Name]>(
  { folder }: PackageVersion,
  name: Name,
): Promise<Entry> {
  return import(pathToFileURL(join(folder, `dist/${name}.js`)).href);
}

/** The command line of a version. */
export function commandLineOf({ folder }: PackageVersion): string {
  return join(folder, 'dist/cli.js');
}
