import { spawn } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryFile } from '../repository.js';
import { installPackedPackage } from '../run/package.js';

/** A project that has the packed package and the checks, and the process that the checks talk to. */
export interface Project extends AsyncDisposable {
  readonly folder: string;
  /** What the checks get from the other process, as JSON. */
  readonly farSide: string;
}

/** Packs what the last build made, installs it, puts the checks beside it and starts the other process. */
export async function startProject(): Promise<Project> {
  const installed = await installPackedPackage();
  const { folder } = installed;
  await cp(repositoryFile('test/runtimes/suite'), folder, { recursive: true });
  await cp(repositoryFile('examples/receivers'), join(folder, 'receivers'), { recursive: true });
  for (const name of ['msw', 'undici', 'esbuild', 'elysia'])
    await symlink(repositoryFile(`node_modules/${name}`), join(folder, 'node_modules', name), 'dir');

  const process_ = spawn(process.execPath, ['far-side-process.mjs'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => process_.on('exit', () => resolve()));
  const dispose = async () => {
    process_.stdin.end();
    await exited;
    await installed.remove();
  };
  for await (const farSide of createInterface({ input: process_.stdout }))
    return { folder, farSide, [Symbol.asyncDispose]: dispose };
  await dispose();
  throw new Error('The process that the checks talk to ended before it was ready.');
}
