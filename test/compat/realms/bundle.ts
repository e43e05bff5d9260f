import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { repositoryFile } from '../../repository.js';
import type { Environment } from './environments.js';
import type { Suite } from './suites.js';

/** What a runner is given: a file, and the packages that the project must have for it. */
export interface Bundle {
  readonly file: string;
  readonly packages: readonly string[];
}

type Runner = Environment['runner'];

/** The name of a suite's bundle. Jest takes CommonJS, which it is mostly used with. */
export function bundleName(suite: Suite, runner: Runner): string {
  return `${runner}/${suite.name}.test.${runner === 'jest' ? 'cjs' : 'mjs'}`;
}

/** Puts the tests of a suite into one file, which imports the package and the frameworks by their names. */
export async function bundleSuite(suite: Suite, runner: Runner, folder: string): Promise<Bundle> {
  const file = join(folder, bundleName(suite, runner));
  const packages = new Set<string>();
  await build({
    entryPoints: [repositoryFile(suite.file)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: runner === 'jest' ? 'cjs' : 'esm',
    // The paths of tsconfig.json lead to the sources, and these tests are to find the installed package.
    tsconfigRaw: '{}',
    // The one place that asks for it is test/repository.ts.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(repositoryFile('test/repository.ts'))) },
    plugins: [asInstalled(runner, packages)],
    logLevel: 'silent',
  });
  return { file, packages: [...packages] };
}

/** Leaves packages where they are installed; for Jest it brings its own `vitest`, and what is there as ES modules alone. */
function asInstalled(runner: Runner, packages: Set<string>): Plugin {
  return {
    name: 'as-installed',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, importer, resolveDir, pluginData, kind }) => {
        if (kind === 'entry-point' || pluginData === 'asked' || path.startsWith('node:')) return undefined;
        if (importer.includes('/node_modules/')) return undefined;
        const external = { path, external: true };
        const name = packageOf(path);
        if (name === 'messaging-automation' || name === '@jest/globals') return external;
        if (runner === 'jest') {
          if (name === 'vitest') return { path: repositoryFile('test/compat/realms/vitest-on-jest.ts') };
          const options = { resolveDir, kind: 'require-call', pluginData: 'asked' } as const;
          const { path: found } = await build.resolve(path, options);
          if (await isEsModule(found)) return { path: found };
        }
        packages.add(name);
        return external;
      });
    },
  };
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

async function isEsModule(file: string): Promise<boolean> {
  if (!file.endsWith('.js')) return file.endsWith('.mjs');
  return /^\s*(import|export)\s/m.test(await readFile(file, 'utf8'));
}
