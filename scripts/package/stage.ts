import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pageForPackage, readmeForRegistry } from './packaged-links.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies what npm packs into a folder, after emptying it, and changes the copy into what is published: links that work there, and a
 * manifest without what only the repository needs. The working tree stays as it is.
 */
export async function stagePackage(
  folder: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const path of await packedPaths(environment)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(repository, path), join(folder, path), { preserveTimestamps: true });
    if (path === 'README.md') await change(join(folder, path), readmeForRegistry);
    else if (path.endsWith('.md')) await change(join(folder, path), (page) => pageForPackage(page, path));
    else if (path === 'package.json')
      await change(join(folder, path), (manifest) => publishedManifest(manifest, environment));
    else if (path === 'openapi.json')
      await change(join(folder, path), (document) => `${JSON.stringify(JSON.parse(document))}\n`);
  }
}

async function packedPaths(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: repository,
    env: { ...environment },
  });
  const [packed]: readonly { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(stdout);
  if (packed === undefined) throw new Error('npm packs nothing.');
  return packed.files.map(({ path }) => path);
}

async function change(file: string, by: (text: string) => string): Promise<void> {
  await writeFile(file, by(await readFile(file, 'utf8')));
}

/**
 * The manifest without scripts, tools and their settings. On GitHub Actions it names the repository, which npm compares with the
 * provenance of the package, its page and its issues.
 */
export function publishedManifest(
  text: string,
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: Readonly<Record<string, string | undefined>>,
): string {
  const { scripts, devDependencies, overrides, allowScripts, publishConfig, ...manifest } = JSON.parse(text);
  const isKnown = server !== undefined && name !== undefined;
  const page = `${server}/${name}`;
  const places = isKnown && {
    repository: { type: 'git', url: `git+${page}.git` },
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
  };
  return `${JSON.stringify({ ...manifest, ...places }, null, 2)}\n`;
}
