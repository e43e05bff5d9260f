import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { repositoryFile } from '../repository.js';

const run = promisify(execFile);

/** The versions before this one, and the commits that they were published from. */
const commits = {
  '0.1.0': 'e439d3ae61b7f66123355f31ef8622ddce7803e7',
  '0.2.0': '40ac1f45888b1ad5258123cc3ac422f2466cd0d3',
} as const;

export type EarlierVersion = keyof typeof commits;

export const earlierVersions: readonly EarlierVersion[] = ['0.1.0', '0.2.0'];

/** Why an earlier version cannot be built in this clone. Undefined if it can. */
export async function missingCommits(): Promise<string | undefined> {
  for (const version of earlierVersions) {
    const commit = commits[version];
    const isThere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], {
      cwd: repositoryFile('.'),
    }).then(
      () => true,
      () => false,
    );
    if (!isThere)
      return `this clone does not have the commit ${commit} of ${version}. Fetch it: git fetch --depth 1 origin ${commit}`;
  }
  return undefined;
}

const builds = new Map<EarlierVersion, Promise<string>>();

/**
 * Builds an earlier version from its commit, unless it is built already, and gives the folder with its `dist/`. Its entries are bundled
 * with the packages that this repository has now, as ES modules in one build. Its own build would also make CommonJS, the types and the
 * page, and would need the packages of its time.
 */
export function buildEarlier(version: EarlierVersion): Promise<string> {
  const build = builds.get(version) ?? buildOnce(version);
  builds.set(version, build);
  return build;
}

async function buildOnce(version: EarlierVersion): Promise<string> {
  const folder = repositoryFile(`.cache/upgrades/${commits[version]}`);
  if (await isThere(folder)) return folder;
  const parent = repositoryFile('.cache/upgrades');
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unfinished-'));
  await checkOut(commits[version], unfinished);
  await bundle(unfinished);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!(await isThere(folder))) throw error; // another process was faster
  });
  return folder;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'sources.tar');
  const paths = ['src', 'package.json', 'openapi.json'];
  await run('git', ['archive', '--output', archive, commit, ...paths], { cwd: repositoryFile('.') });
  await run('tar', ['--extract', '--file', archive], { cwd: folder });
  await rm(archive);
}

/** The package `leven`, which found the name that a mistyped one is close to, is no longer installed. No data depends on it. */
const withoutSuggestions: Plugin = {
  name: 'without-suggestions',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^leven$/ }, ({ path }) => ({ path, namespace: 'without-suggestions' }));
    onLoad({ filter: /.*/, namespace: 'without-suggestions' }, () => ({
      contents: 'export default () => Infinity;',
    }));
  },
};

async function bundle(folder: string): Promise<void> {
  const manifest: { readonly exports: object; readonly peerDependencies: object } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const names = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path]) => path.slice('./'.length));
  const entries = names.map((name) =>
    name === '' ? ['index', 'src/index.ts'] : [name, `src/${name}/index.ts`],
  );
  await build({
    absWorkingDir: folder,
    entryPoints: Object.fromEntries([...entries, ['cli', 'src/cli/main.ts']]),
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...Object.keys(manifest.peerDependencies), 'vitest'],
    banner: {
      js: "import { createRequire as createRequireOfNode } from 'node:module';\nconst require = createRequireOfNode(import.meta.url);",
    },
    plugins: [withoutSuggestions],
    logLevel: 'error',
  });
}
