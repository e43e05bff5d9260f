import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { repositoryFile } from '../repository.js';

const read = new Map<string, readonly string[]>();

/**
 * The names of the tests in `test/<file>.test.ts` of all tiers, as the sources give them: in a name that serves a whole
 * table, `%s` stands where its values go, and a table by name gives its names. None where there is no such file.
 */
export function testsIn(file: string): readonly string[] {
  const known = read.get(file);
  if (known !== undefined) return known;
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isCallExpression(node) && isTest(node.expression) ? node.arguments[0] : undefined;
    if (name && ts.isStringLiteralLike(name)) names.push(name.text);
    if (isCase(node)) names.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  for (const tier of ['', '.service', '.exhaustive', '.nightly']) {
    const path = repositoryFile(`test/${file}${tier}.test.ts`);
    if (existsSync(path)) {
      visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest));
    }
  }
  read.set(file, names);
  return names;
}

/** Whether this is a test in a table by name. */
function isCase(node: ts.Node): node is ts.PropertyAssignment & { readonly name: ts.StringLiteralLike } {
  return (
    ts.isPropertyAssignment(node) &&
    ts.isStringLiteralLike(node.name) &&
    node.name.text.includes(' ') &&
    ts.isObjectLiteralExpression(node.initializer)
  );
}

/** Whether this is what a test is declared with: `test`, or `test.each(table)`. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'it';
  if (!ts.isCallExpression(callee) || !ts.isPropertyAccessExpression(callee.expression)) return false;
  const { expression, name } = callee.expression;
  return name.text === 'each' && isTest(expression);
}
