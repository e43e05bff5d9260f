import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { environment } from '../../package/commands.js';
import { repositoryFile } from '../../repository.js';

/** A Next.js application that was built and is served in this process. */
export interface NextApplication {
  readonly listener: RequestListener;
  /** Where it was built, for a process that serves it. */
  readonly folder: string;
  /** What `next build` printed: which pages are static. */
  readonly printed: string;
  close(): Promise<void>;
}

/** Of a server of Next.js, as its guide to custom servers has it. Its own types would change those of `process.env`. */
interface NextServer {
  prepare(): Promise<void>;
  getRequestHandler(): RequestListener;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

export const nextCommand = require.resolve('next/dist/bin/next');

/**
 * The environment of a process of Next.js: without what the application reads, as where an image is built, and without anything that
 * Next.js would ask the network for, or any mending of the lockfile.
 */
export function withoutSettings(): NodeJS.ProcessEnv {
  return {
    ...environment(),
    WEBHOOK_SECRET: undefined,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NEXT_IGNORE_INCORRECT_LOCKFILE: '1',
  };
}

/** Builds the application in `app/`, and with it the examples for Next.js, as `next build` does for its users. */
export async function startNextApplication(): Promise<NextApplication> {
  await mkdir(repositoryFile('test/compat/.cache'), { recursive: true });
  // Below `test/compat`, where `next` and `react` are found; a folder of its own, because tests run side by side.
  const folder = await mkdtemp(repositoryFile('test/compat/.cache/next-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await cp(repositoryFile('test/compat/next/app'), folder, { recursive: true });
    await placePackage(`${folder}/node_modules/messaging-automation`);
    await placeExample('nextjs-app', `${folder}/app/api/example-app/route.js`);
    await placeExample('nextjs-pages', `${folder}/pages/api/example-pages.js`);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [nextCommand, 'build'], {
      cwd: folder,
      env: withoutSettings(),
    });
    const next: (options: object) => NextServer = require('next');
    const server = next({ dev: false, dir: folder, quiet: true });
    await server.prepare();
    return {
      listener: server.getRequestHandler(),
      folder,
      printed: stdout + stderr,
      close: () => server.close().then(remove),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Puts an example where its first line says that it stands. Next reads its `config` from the text, so it stays a module. */
async function placeExample(name: string, file: string): Promise<void> {
  const source = await readFile(repositoryFile(`examples/receivers/${name}.ts`), 'utf8');
  const { code } = await transform(source, { loader: 'ts' });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
}

/** The package as it was built. */
async function placePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const part of ['package.json', 'dist'])
    await cp(repositoryFile(part), `${folder}/${part}`, { recursive: true });
}
