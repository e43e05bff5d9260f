import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { folderOfPackage } from '../run/frameworks.js';
import { shared } from '../run/shared.js';
import { run } from './commands.js';
import { testProject } from './project.js';

await shared('frameworks');

const newest = repositoryFile('node_modules/newest-typescript/node_modules/typescript/bin/tsc');
/** The last version that has `moduleResolution: node10`. */
const lastWithNode10 = repositoryFile('node_modules/typescript/bin/tsc');
/** The oldest version that NODE_VERSION_POLICY.md names. */
const oldest = `${folderOfPackage('typescript-5.4')}/bin/tsc`;

const node16 = { module: 'node16', moduleResolution: 'node16' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
/** Resolution that reads `typesVersions`, not `exports`. */
const node10 = { module: 'commonjs', moduleResolution: 'node10', verbatimModuleSyntax: false };
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'ESNext.Disposable'],
  types: [], // not even Node's
};

const peers = `import { mswHandlers } from 'messaging-automation/msw';
import { undiciTransport } from 'messaging-automation/undici';
import { workspaceFixtures } from 'messaging-automation/vitest';
import { MessagingAutomation } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { setupServer } from 'msw/node';

const server = createReferenceServer();
export const messaging = new MessagingAutomation({ transport: undiciTransport() });
export const network = setupServer(...mswHandlers(server, { baseUrl: 'https://api.example.test/api' }));
export { workspaceFixtures };
`;

const installed = testProject();

/** Compiles a program in the project that has the package. Rejects with what the compiler says, where it says anything. */
async function compile(compiler: string, program: string, source: string, options: object): Promise<void> {
  const project = `tsconfig.${program}.json`;
  await writeFile(join(installed().folder, program), source);
  await writeFile(
    join(installed().folder, project),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [program] }),
  );
  await run(installed().folder, 'node', compiler, '--pretty', 'false', '-p', project);
}

const consumer = (program: string) => readFile(repositoryFile(`test/package/consumer/${program}`), 'utf8');

/** Makes a package of the repository one of the project's. */
async function link(name: string): Promise<void> {
  const target = join(installed().folder, 'node_modules', name);
  await mkdir(dirname(target), { recursive: true });
  await symlink(repositoryFile(`node_modules/${name}`), target, 'dir');
}

test('the oldest TypeScript that is tried is the one that is promised', async () => {
  const [policy, version] = await Promise.all([
    readFile(repositoryFile('NODE_VERSION_POLICY.md'), 'utf8'),
    run(repositoryFile('.'), 'node', oldest, '--version'),
  ]);
  const promised = /TypeScript \| (\d+\.\d+)/.exec(policy)?.[1];

  expect(version).toContain(`Version ${promised}.`);
});

const seenBy = {
  'an ES module, by Node.js': ['strict.mts', node16],
  'CommonJS, by Node.js': ['strict.cts', { ...node16, verbatimModuleSyntax: false }],
  'a bundler': ['strict.ts', bundler],
} as const;

describe.each([
  ['the newest TypeScript', newest],
  ['the oldest TypeScript', oldest],
])('%s', { timeout: 120_000 }, (_version, compiler) => {
  test.each(Object.entries(seenBy))(
    'compiles the package and a strict program, as seen by %s',
    async (_name, [program, options]) => {
      await compile(compiler, program, await consumer('strict.ts'), options);
    },
  );

  test('reads nothing as any, with skipLibCheck', async () => {
    await compile(compiler, 'no-any.mts', await consumer('no-any.ts'), { ...node16, skipLibCheck: true });
  });

  test.each([true, false])(
    'takes what may be absent, and values of an interface, with exactOptionalPropertyTypes: %s',
    async (exactOptionalPropertyTypes) => {
      await compile(compiler, 'inputs.mts', await consumer('inputs.ts'), {
        ...node16,
        exactOptionalPropertyTypes,
      });
    },
  );
});

test.each([
  ['last', lastWithNode10, { ...node10, ignoreDeprecations: '6.0' }],
  ['oldest', oldest, node10],
])(
  'the %s TypeScript with moduleResolution node10 compiles the package and a strict program',
  { timeout: 120_000 },
  async (_version, compiler, options) => {
    await compile(compiler, 'strict-node10.ts', await consumer('strict.ts'), options);
  },
);

describe('beside its peers', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    for (const peer of ['msw', 'undici', 'vitest', '@types/node', 'undici-types']) await link(peer);
  });

  test.each([
    ['newest', newest],
    ['oldest', oldest],
  ])('the %s TypeScript compiles ./msw, ./undici and ./vitest', async (_version, compiler) => {
    // What the peers' own types need is the peers' affair.
    const options = { ...node16, skipLibCheck: true, types: ['node'] };

    await compile(compiler, 'peers.mts', peers, options);
  });
});
