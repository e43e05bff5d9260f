import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { repositoryFile } from '../repository.js';

/**
 * The names of the tests in `test/<file>.test.ts`, as its source gives them: in a name that serves a whole table,
 * `%s` stands where its values go. None where there is no such file.
 */
export function testsIn(file: string): readonly string[] {
  const path = repositoryFile(`test/${file}.test.ts`);
  if (!existsSync(path)) return [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isCallExpression(node) && isTest(node.expression) ? node.arguments[0] : undefined;
    if (name && ts.isStringLiteralLike(name)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest));
  return names;
}

/** Whether this is what a test is declared with: `test`, or `test.each(table)`. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'it';
  if (!ts.isCallExpression(callee) || !ts.isPropertyAccessExpression(callee.expression)) return false;
  const { expression, name } = callee.expression;
  return name.text === 'each' && isTest(expression);
}
