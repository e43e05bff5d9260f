import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { publicEntries } from '../../scripts/public-entries.js';
import { repositoryFile } from '../repository.js';

test('tsconfig.json maps every import path of package.json to its source', () => {
  const { config } = ts.readConfigFile(repositoryFile('tsconfig.json'), ts.sys.readFile);

  expect(config.compilerOptions.paths).toEqual(
    Object.fromEntries(publicEntries.map(({ importPath, source }) => [importPath, [`./${source}`]])),
  );
});

test('typesVersions of package.json leads to the types of every import path', () => {
  const { typesVersions, types } = JSON.parse(readFileSync(repositoryFile('package.json'), 'utf8'));
  const subpaths = publicEntries.filter(({ file }) => file !== 'index');

  expect(types).toBe('./dist/index.d.cts');
  expect(typesVersions).toEqual({
    '*': Object.fromEntries(subpaths.map(({ file }) => [file, [`./dist/${file}.d.cts`]])),
  });
});
