import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { run } from './commands.js';
import { type InstalledPackage, installPackedPackage } from './installed-package.js';

let installed: InstalledPackage;

beforeAll(async () => {
  installed = await installPackedPackage();
}, 60_000);

afterAll(() => installed[Symbol.asyncDispose]());

describe('the packed package', () => {
  test('is the only package that an install brings', async () => {
    const packages = await readdir(join(installed.folder, 'node_modules'));

    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['messaging-automation']);
  });

  test('takes no more than 3 MB', () => {
    expect(installed.unpackedSize).toBeLessThanOrEqual(3_000_000);
  });

  test('holds what it is made of and how to use it, and no sources or tests', () => {
    const outsideDist = installed.files.filter((path) => !path.startsWith('dist/'));

    expect(outsideDist.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD_PARTY_NOTICES.md',
      'openapi.json',
      'package.json',
      'sbom.cdx.json',
    ]);
    expect(installed.files.filter((path) => !/\.(c?js|d\.c?ts|md|json)$|^LICENSE$/.test(path))).toEqual([]);
  });
});

describe('a program that installed the package', { timeout: 60_000 }, () => {
  const done = { phone: '+15551234567', refused: true, verified: true };

  test('does the main job as an ES module', async () => {
    await installed.add('main-job.mjs');

    expect(JSON.parse(await run(installed.folder, 'node', 'main-job.mjs'))).toEqual(done);
  });

  test('does the main job as CommonJS', async () => {
    await installed.add('main-job.cjs');

    expect(JSON.parse(await run(installed.folder, 'node', 'main-job.cjs'))).toEqual(done);
  });

  test('has the command line', async () => {
    const help = await run(installed.folder, 'npx', '--no-install', 'messaging-automation', '--help');

    expect(help).toContain('serve');
  });

  test('reads the OpenAPI document', async () => {
    const script =
      "process.stdout.write(JSON.parse(require('fs').readFileSync(require.resolve('messaging-automation/openapi.json'), 'utf8')).openapi)";

    expect(await run(installed.folder, 'node', '-e', script)).toMatch(/^3\.1\./);
  });
});

describe('strict TypeScript that installed the package', { timeout: 120_000 }, () => {
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

  async function compile(program: string, options: object): Promise<string> {
    const project = `tsconfig.${program}.json`;
    await writeFile(
      join(installed.folder, project),
      JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [program] }),
    );
    return run(
      installed.folder,
      'node',
      repositoryFile('node_modules/typescript/bin/tsc'),
      '--pretty',
      'false',
      '-p',
      project,
    );
  }

  test.each([
    ['an ES module, by Node.js', 'strict.mts', { module: 'node16', moduleResolution: 'node16' }],
    [
      'CommonJS, by Node.js',
      'strict.cts',
      { module: 'node16', moduleResolution: 'node16', verbatimModuleSyntax: false },
    ],
    ['a bundler', 'strict.ts', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('compiles as seen by %s', async (_name, program, options) => {
    const source = await readFile(repositoryFile('test/package/consumer/strict.ts'), 'utf8');
    await writeFile(join(installed.folder, program), source);

    expect(await compile(program, options)).toBe('');
  });

  test('compiles against ./testing beside msw', async () => {
    await symlink(repositoryFile('node_modules/msw'), join(installed.folder, 'node_modules/msw'), 'dir');
    await writeFile(
      join(installed.folder, 'testing.mts'),
      `import { createReferenceServer } from 'messaging-automation/server';
import { mswHandlers } from 'messaging-automation/testing';
import { setupServer } from 'msw/node';

const server = createReferenceServer();
export const network = setupServer(...mswHandlers(server, { baseUrl: 'https://api.example.test/api' }));
`,
    );

    // What msw's own types need is msw's affair.
    const options = { module: 'node16', moduleResolution: 'node16', skipLibCheck: true };
    expect(await compile('testing.mts', options)).toBe('');
  });
});
