import { throwingProbes } from './throwing-probes.js';

/** A runner that evaluates tests and packages in a realm of its own, in one of its environments. */
export interface Environment {
  readonly name: string;
  readonly runner: 'jest' | 'vitest';
  /** Its arguments besides the files. */
  readonly arguments: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** The suites that cannot run there, by name, each with the reason. */
  readonly without?: Readonly<Record<string, string>>;
}

/** Where the suites run as they do in this repository: the others must see what is seen here. */
export const plainNode: Environment = {
  name: 'plain Node.js',
  runner: 'vitest',
  arguments: ['--pool', 'forks'],
};

/** The file of `examples/` by which Jest has jsdom and a network. */
export const jsdomEnvironment = 'examples/jest/jsdom-with-node-globals.cjs';

/** Where the suites run for each change. */
export const environments: readonly Environment[] = [
  {
    name: 'Jest, jsdom',
    runner: 'jest',
    arguments: ['--testEnvironment', './jsdom-with-node-globals.cjs'],
    without: { undici: 'undici needs the timers of Node.js, and jsdom has its own' },
  },
  {
    name: 'Vitest, vmThreads',
    runner: 'vitest',
    arguments: ['--pool', 'vmThreads'],
    variables: commonJsOnly(),
  },
];

/** Where they run in the nightly campaign, besides. */
export const furtherEnvironments: readonly Environment[] = [
  { ...plainNode, name: 'a runtime whose functions throw', variables: throwingProbes('function') },
  { ...plainNode, name: 'a runtime whose properties throw', variables: throwingProbes('property') },
  { name: 'Jest, node', runner: 'jest', arguments: ['--testEnvironment', 'node'] },
  {
    name: 'Vitest, vmThreads, happy-dom',
    runner: 'vitest',
    arguments: ['--pool', 'vmThreads', '--environment', 'happy-dom'],
    variables: commonJsOnly(),
    without: {
      fetch:
        'happy-dom has a fetch of its own, which does not tell a connection that was refused from one that was lost',
      'adapters-fetch':
        'the servers that hand over a Request take that of Node.js, and happy-dom has its own',
    },
  },
];

/** Has `require` find CommonJS alone: vmThreads cannot evaluate an ES module for it, which Express needs otherwise. */
function commonJsOnly(): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: '--no-experimental-require-module' };
}
