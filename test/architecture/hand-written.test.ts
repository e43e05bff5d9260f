import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

test('the environment that is written by hand runs no code of this package', async () => {
  const { metafile } = await build({
    entryPoints: [repositoryFile('test/contract/environments/hand-written.ts')],
    bundle: true,
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
    absWorkingDir: repositoryFile('.'),
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const files = Object.entries(metafile.inputs);
  const imported = files.flatMap(([, { imports }]) => imports.map(({ path }) => path));

  expect(files.map(([path]) => path)).toContain('test/operations/contacts.ts');
  expect(imported.filter((path) => /^(src\/|messaging-automation)/.test(path))).toEqual([]);
});
