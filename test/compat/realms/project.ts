import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createProject } from '../../package/project.js';
import { repositoryFile } from '../../repository.js';
import { folderOfPackage } from '../../run/frameworks.js';
import { shared } from '../../run/shared.js';
import { bundleSuite } from './bundle.js';
import { jsdomEnvironment } from './environments.js';
import { suites } from './suites.js';
import { replacement } from './throwing-probes.js';

/** A project that has the packed package, the runners, the frameworks, and the suites bundled for each runner. */
export interface Project extends AsyncDisposable {
  readonly folder: string;
}

const vitestConfig = `export default { test: { include: ['vitest/*.test.mjs'], testTimeout: 30_000 } };\n`;

export async function startProject(): Promise<Project> {
  await shared('frameworks');
  const project = await createProject();
  try {
    await addSuites(project.folder);
    return project;
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
}

async function addSuites(folder: string): Promise<void> {
  const bundles = await Promise.all(
    suites.flatMap((suite) => [bundleSuite(suite, 'jest', folder), bundleSuite(suite, 'vitest', folder)]),
  );
  const packages = new Set(bundles.flatMap((bundle) => bundle.packages));
  for (const name of [...packages, 'jest', 'jest-environment-jsdom', 'happy-dom', 'undici', 'vitest']) {
    const place = join(folder, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(folderOfPackage(name), place, 'dir').catch(unlessThere);
  }
  await copyFile(repositoryFile(jsdomEnvironment), join(folder, basename(jsdomEnvironment)));
  await copyFile(repositoryFile(replacement), join(folder, basename(replacement)));
  await writeFile(join(folder, 'vitest.config.mjs'), vitestConfig);
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
