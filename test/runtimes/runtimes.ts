import { join } from 'node:path';

/**
 * How the package gets into the checks: as ES modules, as CommonJS, or `bare`, without `node:crypto` and
 * (where the runtime itself can do without) `Buffer`; and into a worker with or without Node's modules.
 */
export type Loading = 'esm' | 'cjs' | 'bare' | 'nodejs_compat' | 'plain';

/** A runtime that the package promises to run on, at the version that it is tried with. */
export interface Runtime {
  /** The name for `--only`. */
  readonly name: string;
  /** The npm package that it comes from. */
  readonly source: { readonly package: string; readonly version: string };
  readonly loadings: readonly Loading[];
  /** The program and its first arguments, from the folder that the package was installed in. */
  command(folder: string): readonly string[];
  /** Whether the whole test suite of the repository runs on it too. */
  readonly runsTests: boolean;
}

const inProcess: readonly Loading[] = ['esm', 'cjs', 'bare'];

export const runtimes: readonly Runtime[] = [
  // The oldest that `engines` allows. Its tests run wherever the repository's own are run on Node.js 20.
  node('node-20', '20.19.0', false),
  node('node-22', '22.23.3', true),
  node('node-24', '24.21.0', true),
  node('node-26', '26.10.0', true),
  {
    name: 'bun',
    source: { package: 'bun', version: '1.4.5' },
    loadings: inProcess,
    command: (folder) => [join(folder, 'node_modules/.bin/bun'), 'run'],
    runsTests: false,
  },
  {
    name: 'deno',
    source: { package: 'deno', version: '2.9.6' },
    loadings: inProcess,
    command: (folder) => [
      join(folder, 'node_modules/.bin/deno'),
      'run',
      '--allow-all',
      '--node-modules-dir=manual',
    ],
    runsTests: false,
  },
  {
    name: 'workerd',
    source: { package: 'miniflare', version: '4.20260426.0' },
    loadings: ['nodejs_compat', 'plain'],
    // Miniflare, which starts workerd, runs on the Node.js that runs this.
    command: () => [process.execPath],
    runsTests: false,
  },
];

function node(name: string, version: string, runsTests: boolean): Runtime {
  return {
    name,
    source: { package: 'node', version },
    loadings: inProcess,
    command: (folder) => [join(folder, 'node_modules/.bin/node')],
    runsTests,
  };
}
