import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { repositoryFile } from '../repository.js';
import type { InstalledPackage } from '../run/package.js';
import { shared } from '../run/shared.js';

/** A project of one's own in which the packed package is installed, and nothing else. */
export interface PackageProject extends InstalledPackage, AsyncDisposable {
  /** Copies a program from `test/package/consumer` into the project. */
  add(program: string): Promise<void>;
}

/** Copies the project in which the run installed the package. */
export async function createProject(
  installed: 'installedPackage' | 'untypedPackage' = 'installedPackage',
): Promise<PackageProject> {
  const original = await shared(installed);
  const folder = await mkdtemp(join(tmpdir(), 'messaging-automation-'));
  await cp(original.folder, folder, { recursive: true, verbatimSymlinks: true });
  return {
    ...original,
    folder,
    add: (program) => copyFile(repositoryFile(`test/package/consumer/${program}`), join(folder, program)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A project for the tests of a file or of a `describe`. */
export function testProject(installed?: Parameters<typeof createProject>[0]): () => PackageProject {
  let project: PackageProject;
  beforeAll(async () => {
    project = await createProject(installed);
  });
  afterAll(() => project?.[Symbol.asyncDispose]());
  return () => project;
}
