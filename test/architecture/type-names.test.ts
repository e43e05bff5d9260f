import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

// One word for one thing: a reader who meets a type's name in two folders takes it for the same type.

/** The names of the interfaces, types, classes and enums that a source declares and exports. */
function exportedTypesIn(name: string, text: string): readonly string[] {
  const kind = name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const { statements } = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true, kind);
  const named = statements.flatMap((statement) => (declaresType(statement) ? [statement] : []));
  return named.filter(isExported).flatMap((statement) => statement.name?.text ?? []);
}

function declaresType(statement: ts.Statement) {
  return (
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  );
}

function isExported({
  modifiers = [],
}: {
  readonly modifiers?: readonly ts.ModifierLike[] | undefined;
}): boolean {
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** Each name that several sources declare and export, with their paths. */
function namesOfSeveral(namesByPath: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const paths = new Map<string, readonly string[]>();
  for (const [path, names] of namesByPath)
    for (const name of new Set(names)) paths.set(name, [...(paths.get(name) ?? []), path]);
  return [...paths].filter(([, all]) => all.length > 1).map(([name, all]) => `${name}: ${all.join(', ')}`);
}

const files = readdirSync(repositoryFile('src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.tsx?$/.test(path),
);
const namesByPath = new Map(
  files.map((path) => [path, exportedTypesIn(path, readFileSync(repositoryFile(`src/${path}`), 'utf8'))]),
);

/** The names of the sources, and those of a file that is not among them. */
const withPlanted = (path: string, text: string) =>
  new Map([...namesByPath, [path, exportedTypesIn(path, text)]]);

test('no exported type of the sources has the name of another', () => {
  expect([...namesByPath.values()].flat().length).toBeGreaterThan(500);
  expect(namesOfSeveral(namesByPath)).toEqual([]);
});

test.each([
  'export interface Journal {}',
  'export type Journal = string;',
  'export class Journal {}',
  'export abstract class Journal<Entry> {}',
  'export enum Journal { Empty }',
])('a second one is found: %s', (declaration) => {
  expect(namesOfSeveral(withPlanted('client/journal.tsx', declaration))).toEqual([
    'Journal: server/subjects/journal/journal.ts, client/journal.tsx',
  ]);
});

test.each(['interface Journal {}', "export type { Journal } from '../server/index.js';"])(
  'what declares no second one is not: %s',
  (declaration) => {
    expect(namesOfSeveral(withPlanted('client/journal.ts', declaration))).toEqual([]);
  },
);
