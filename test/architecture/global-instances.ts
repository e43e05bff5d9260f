import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { filesBelow } from './files-below.js';

/** An `instanceof` whose right side is a class of the global object. */
export interface GlobalInstance {
  /** The file, from the folder that was searched. */
  readonly file: string;
  readonly line: number;
  /** The class, as it is written. */
  readonly of: string;
}

/**
 * Every `instanceof` of a global class in the `src/` of a folder. Jest, `vm` and browsers' frames have an `Error`, a
 * `Headers` and a `Uint8Array` of their own, so such a check says no to what is one all the same. A name that a file
 * neither declares nor imports is a global one; the package's own errors, which are told by their brand, are imported.
 */
export async function globalInstancesIn(folder: string): Promise<readonly GlobalInstance[]> {
  const files = (await filesBelow(join(folder, 'src'))).filter((file) => file.endsWith('.ts'));
  if (files.length === 0) throw new Error(`There is nothing to read in ${folder}/src.`);
  const found = await Promise.all(
    files.map(async (file) => inText(join('src', file), await readFile(join(folder, 'src', file), 'utf8'))),
  );
  return found.flat();
}

function inText(file: string, text: string): readonly GlobalInstance[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const known = namesDeclaredIn(source);
  const found: GlobalInstance[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) {
      const root = rootOf(node.right);
      if (root === undefined || !known.has(root)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push({ file, line, of: node.right.getText() });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The name at the beginning of `name`, `name.inner` and `(name)`. */
function rootOf(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isParenthesizedExpression(expression)) {
    return rootOf(expression.expression);
  }
  return undefined;
}

/** What a file imports as a value, and the classes that it declares. */
function namesDeclaredIn(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const declares =
      ts.isImportSpecifier(node) ||
      ts.isNamespaceImport(node) ||
      ts.isImportClause(node) ||
      ts.isClassDeclaration(node);
    if (declares && node.name !== undefined) names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}
