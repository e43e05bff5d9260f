import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { filesBelow } from './files-below.js';

/** A call of a user's hook. */
export interface HookCall {
  /** The file, from the folder that was searched. */
  readonly file: string;
  readonly hook: string;
  /** Whether `notify` stands around it, so that what the hook throws or rejects with changes nothing. */
  readonly isSafe: boolean;
}

/** Every call of a hook in these folders of `src/`. A hook is what an exported `…Options` has under a name with `on`. */
export async function hookCallsIn(root: string, folders: readonly string[]): Promise<readonly HookCall[]> {
  const sources = await Promise.all(folders.map((folder) => sourcesIn(join(root, folder))));
  const hooks = new Set(sources.flat().flatMap(({ source }) => hooksDeclaredIn(source)));
  return sources.flat().flatMap(({ file, source }) => callsIn(file, source, hooks));
}

async function sourcesIn(folder: string) {
  const files = (await filesBelow(folder)).filter((file) => file.endsWith('.ts'));
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { file, source: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
    }),
  );
}

function hooksDeclaredIn(source: ts.SourceFile): readonly string[] {
  return source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text.endsWith('Options'))
    .flatMap(({ members }) => members.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : [])))
    .filter((name) => /^on[A-Z]/.test(name));
}

function callsIn(file: string, source: ts.SourceFile, hooks: ReadonlySet<string>): readonly HookCall[] {
  const found: HookCall[] = [];
  const visit = (node: ts.Node): void => {
    const hook = ts.isCallExpression(node) ? nameOf(node.expression) : undefined;
    if (hook !== undefined && hooks.has(hook)) found.push({ file, hook, isSafe: isNotified(node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function nameOf(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee)) return callee.text;
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : undefined;
}

/** Whether the call is what a function gives that is handed to `notify`. */
function isNotified({ parent }: ts.Node): boolean {
  return (
    ts.isArrowFunction(parent) &&
    ts.isCallExpression(parent.parent) &&
    nameOf(parent.parent.expression) === 'notify'
  );
}
