import { access, mkdir, writeFile } from 'node:fs/promises';
import { run } from '../package/commands.js';
import { repositoryFile } from '../repository.js';
import type { Runtime } from './runtimes.js';

/**
 * The folder that a runtime or a peer is installed in; fetched from npm at its exact version where it is not there yet.
 * It is no dependency of the repository: bun and deno side by side break `npm ci`, and few changes need any.
 */
export async function fetchPackage(source: Runtime['source']): Promise<string> {
  const folder = repositoryFile(`.cache/runtimes/${source.package}-${source.version}`);
  const complete = `${folder}/complete`;
  const isThere = await access(complete).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(folder, { recursive: true });
  // node, bun and deno fetch their executables in install scripts, which npm may want allowed by name.
  const allowScripts = { node: true, bun: true, deno: true, workerd: true };
  await writeFile(`${folder}/package.json`, JSON.stringify({ private: true, allowScripts }));
  const wanted = `${source.package}@${source.version}`;
  await run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--save-exact', wanted);
  await writeFile(complete, '');
  return folder;
}
