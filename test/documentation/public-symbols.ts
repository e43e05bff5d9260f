import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { publicEntries } from '../public-entries.js';
import { programOf } from './compiler.js';

/** What a user can import, and how it is documented. */
export interface PublicSymbol {
  /** The entry and the export, as in `messaging-automation/webhooks: verifyWebhook`. */
  readonly name: string;
  /** A function or a class, which needs an example of its use. A type or a constant does not. */
  readonly isCallable: boolean;
  /** Its own doc comments; several where it has overloads. */
  readonly comments: readonly ts.JSDoc[];
  /** The doc comments of what is inside it: methods, properties, members. */
  readonly memberComments: readonly ts.JSDoc[];
}

let found: readonly PublicSymbol[] | undefined;

/** Every export of the entries, in their order. To compile them takes seconds, so it happens once. */
export function publicSymbols(): readonly PublicSymbol[] {
  found ??= readPublicSymbols();
  return found;
}

function readPublicSymbols(): readonly PublicSymbol[] {
  const program = programOf(publicEntries.map(({ source }) => source));
  const checker = program.getTypeChecker();
  return publicEntries.flatMap((entry) => {
    const file = program.getSourceFile(entry.source);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry.source} exports nothing`);
    return checker.getExportsOfModule(module).map((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const declarations = symbol.getDeclarations() ?? [];
      return {
        name: `${entry.name}: ${exported.name}`,
        isCallable: (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) !== 0,
        comments: declarations.flatMap(commentsOf),
        memberComments: declarations.flatMap(commentsInside),
      };
    });
  });
}

/** The introduction of each module that a user can import, from the top of its entry. */
export function moduleComments(): readonly ts.JSDoc[] {
  return publicEntries.map(({ name, source }) => {
    const file = ts.createSourceFile(source, readFileSync(source, 'utf8'), ts.ScriptTarget.Latest, true);
    const introduction = file.statements[0] && commentsOf(file.statements[0])[0];
    if (introduction === undefined) throw new Error(`${name} has no introduction`);
    return introduction;
  });
}

function commentsOf(node: ts.Node): ts.JSDoc[] {
  return ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
}

function commentsInside(node: ts.Node): ts.JSDoc[] {
  const found: ts.JSDoc[] = [];
  node.forEachChild((child) => {
    found.push(...commentsOf(child), ...commentsInside(child));
  });
  return found;
}
