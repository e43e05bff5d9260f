import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { publicEntries } from '../../scripts/public-entries.js';
import { type CodeBlock, docCommentBlocks, markdownBlocks } from '../documentation/code-blocks.js';
import { repositoryFile } from '../repository.js';
import { folderOfPackage } from '../run/frameworks.js';
import { shared } from '../run/shared.js';
import { outcomeOf } from './commands.js';
import { testProject } from './project.js';
import { publicResults } from './public-results.js';

const compilers = {
  'TypeScript 5.4': folderOfPackage('typescript-5.4'),
  'TypeScript 5.9': folderOfPackage('typescript-5.9'),
  'TypeScript 6': repositoryFile('node_modules/typescript'),
  'TypeScript 7': repositoryFile('node_modules/newest-typescript/node_modules/typescript'),
};
export type Compiler = keyof typeof compilers;

/** What declares the globals of a program. */
export const platforms = {
  "Node's types": { lib: ['ESNext'], types: ['node'] },
  "DOM's types": { lib: ['ESNext', 'DOM'], types: [] },
  "Node's and DOM's types": { lib: ['ESNext', 'DOM'], types: ['node'] },
  "Workers' types": { lib: ['ESNext'], types: ['@cloudflare/workers-types'] },
  "Bun's types": { lib: ['ESNext'], types: ['bun-types'] },
};
export type Platform = keyof typeof platforms;

export const modules = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
};

/** As `tsc --init` writes it, with the checks of libraries that it leaves out, for a project that others reference. */
const fresh = {
  target: 'esnext',
  sourceMap: true,
  declaration: true,
  declarationMap: true,
  composite: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  strict: true,
  isolatedModules: true,
  moduleDetection: 'force',
  skipLibCheck: false,
  rootDir: '.',
  outDir: 'out',
};

/** Each `fetch` that people pass, without a cast, and functions of their own around it. */
const fetchFunctions = `import crossFetch from 'cross-fetch';
import { type FetchFunction, MessagingAutomation } from 'messaging-automation';
import { checkConformance } from 'messaging-automation/conformance';
import { createReferenceServer } from 'messaging-automation/server';
import nodeFetch from 'node-fetch';
import * as undici from 'undici';

export const clients = [
  new MessagingAutomation({ fetch: undici.fetch }),
  new MessagingAutomation({ fetch: nodeFetch }),
  new MessagingAutomation({ fetch: crossFetch }),
  new MessagingAutomation({ fetch }),
  new MessagingAutomation({ fetch: globalThis.fetch }),
];
// Deliveries are bytes, which the types of node-fetch do not take.
export const servers = [
  createReferenceServer({ fetch: undici.fetch }),
  createReferenceServer({ fetch: crossFetch }),
  createReferenceServer({ fetch }),
];
export const report = checkConformance({ baseUrl: '', apiKey: '', fetch: undici.fetch });

// Functions of one's own, around any of them.
export const logged: FetchFunction = async (url, init) => {
  const response = await fetch(url, init);
  return init.method === 'GET' && response.status === 503 ? fetch(url, init) : response;
};
const dispatcher = new undici.Agent();
export const ofPool: FetchFunction = (url, init) => undici.fetch(url, { ...init, dispatcher });
export const wrapped = new MessagingAutomation({ fetch: (url, init) => fetch(new Request(url, init)) });
export const annotated = new MessagingAutomation({
  fetch: async (url: string | URL | Request, init?: RequestInit) => fetch(url, init),
});
export const canned = new MessagingAutomation({ fetch: async () => new Response('{}') });
export const socketless = new MessagingAutomation({ fetch: createReferenceServer().fetch });
`;

/** The types of node-fetch 2 refuse every platform's AbortSignal with exactOptionalPropertyTypes. */
const nodeFetch2 = `import { MessagingAutomation } from 'messaging-automation';
import fetch from 'node-fetch-2';

export const client = new MessagingAutomation({ fetch });
`;

const installed = testProject();
/** The results of each import path: the names of their modules, and how many they are. */
export const results = new Map<string, number>();

/** Compiles files of the project. Returns what the compiler says against them or this package; other packages are the affair of others. */
export async function errorsIn(files: readonly string[], compiler: Compiler, settings: object) {
  const { folder } = installed();
  const project = { compilerOptions: { ...fresh, ...settings }, files };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const args = [`${compilers[compiler]}/bin/tsc`, '--pretty', 'false', '-p', folder];
  const { stdout } = await outcomeOf(process.execPath, args, { cwd: folder });
  return stdout
    .split(/\n(?=\S)/)
    .filter((line) => line.includes('error TS'))
    .filter((line) => !/^[^(]*node_modules\/(?!messaging-automation\/)/.test(line));
}

/** What the types of other packages cannot name is their affair: a part of a handler of msw, for example. */
export function isOfOthers(error: string): boolean {
  return /cannot be named|TS4\d{3}/.test(error) && !error.includes('messaging-automation/dist');
}

/** Makes a package of the repository, or of `test/compat`, one of the project's. */
async function link(name: string): Promise<void> {
  const target = join(installed().folder, 'node_modules', name);
  await mkdir(dirname(target), { recursive: true });
  await symlink(folderOfPackage(name), target, 'dir').catch(() => {}); // it is there
}

/** The same module in CommonJS. */
const asCommonJs = (text: string) =>
  text.replace(/^import \* as (\w+) from (.*);/m, 'import $1 = require($2);');

const peersAndPlatforms = [
  '@types/node',
  'undici',
  'undici-types',
  'node-fetch',
  'msw',
  '@cloudflare/workers-types',
  'bun-types',
  'cross-fetch',
  'node-fetch-2',
  '@types/node-fetch-2',
];

/** Writes the programs that export the results, and gives the project the packages that they and the samples import. */
export function declaringProject(): void {
  beforeAll(async () => {
    await shared('frameworks');
    const { folder } = installed();
    for (const name of peersAndPlatforms) await link(name);
    for (const { entry, text, count } of publicResults(folder, publicEntries)) {
      results.set(entry.file, count);
      await writeFile(join(folder, `results-of-${entry.file}.cts`), asCommonJs(text));
    }
  });
}

export const modulesOf = (entries: readonly string[]) =>
  entries.flatMap((entry) => [`results-of-${entry}.mts`, `results-of-${entry}.cts`]);

/** What a test of one combination is about. */
export interface Combination {
  readonly compiler: Compiler;
  readonly platform: Platform;
  readonly module: keyof typeof modules;
}

/** A program that exports the result of every public function, compiled with each combination. */
export function testResults(combinations: readonly Combination[]): void {
  test.each(combinations)(
    'with $compiler, $platform and module $module',
    async ({ compiler, platform, module }) => {
      const withoutPeer = publicEntries.map(({ file }) => file).filter((file) => file !== 'msw');
      const settings = { ...modules[module], ...platforms[platform] };

      expect(await errorsIn(modulesOf(withoutPeer), compiler, settings)).toEqual([]);
    },
  );
}

/** The samples of the documentation, each a module that exports all that it declares. */
export async function testSamples(compiler: Compiler): Promise<void> {
  const blocks = [...markdownBlocks(), ...docCommentBlocks()].filter(({ info }) => /^ts\b/.test(info));
  const imported = blocks.flatMap(({ code }) => [...code.matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)/g)]);
  for (const [, name = ''] of imported) {
    if (name === 'messaging-automation') continue;
    await link(name);
    await link(`@types/${name}`);
  }
  const files = await Promise.all(blocks.map(writeSample));
  const settings = { ...modules.nodenext, ...platforms["Node's and DOM's types"], skipLibCheck: true };

  const errors = await errorsIn(files, compiler, settings);
  expect(errors.filter((error) => !isOfOthers(error))).toEqual([]);
}

async function writeSample({ code, origin }: CodeBlock): Promise<string> {
  const name = `sample-${origin.replaceAll(/\W+/g, '-')}.mts`;
  const exporting = code.replaceAll(/^(?=(?:const|let|class|function|async function) )/gm, 'export ');
  await writeFile(join(installed().folder, name), `${exporting}\nexport {};\n`);
  return name;
}

/** The option `fetch` takes that of undici, node-fetch, cross-fetch and the platform. */
export async function testFetchFunctions(compiler: Compiler, platform: Platform): Promise<void> {
  const program = 'fetch-functions.mts';
  await writeFile(join(installed().folder, program), fetchFunctions);
  await writeFile(join(installed().folder, 'node-fetch-2.mts'), nodeFetch2);

  const settings = { ...modules.nodenext, ...platforms[platform] };
  expect(await errorsIn([program], compiler, settings)).toEqual([]);
  const older = { ...settings, exactOptionalPropertyTypes: false };
  expect(await errorsIn(['node-fetch-2.mts'], compiler, older)).toEqual([]);
}
