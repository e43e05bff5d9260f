import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { PublicEntry } from '../../scripts/public-entries.js';

const options: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  types: ['node'],
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
};

const helpers = `
declare function given<T = any>(): T;
declare function settled<T>(value: T): Awaited<T>;
declare function eachOf<T>(value: AsyncIterable<T> | Iterable<T>): T;
`;

/** More are a loop. */
const mostResults = 10_000;

/**
 * Modules that export everything that a program can take from an import path, one for each: each export, each value of an exported type,
 * the result and the parameters of each function and method, each property, what promises resolve with and what iterators yield, and
 * so on. They are read from the types of the package that is installed in the folder, all by the same programs of the compiler.
 */
export function publicResults(
  folder: string,
  entries: readonly PublicEntry[],
): readonly { readonly entry: PublicEntry; readonly text: string; readonly count: number }[] {
  const modules = entries.map((entry) => new ResultsModule(folder, entry));
  let program = compile(modules);
  let next = modules.map((module) => module.exports(program));
  while (next.some((expressions) => expressions.length > 0)) {
    modules.forEach((module, place) => {
      module.add(next[place] ?? []);
    });
    program = compile(modules, program);
    next = modules.map((module) => module.partsOfNewest(program));
  }
  // What was taken from a mistake is one, too.
  while (modules.map((module) => module.leaveOutMistakes(program)).includes(true))
    program = compile(modules, program);
  return modules.map(({ text, count }, place) => ({ entry: Object(entries[place]), text, count }));
}

function compile(modules: readonly ResultsModule[], before?: ts.Program): ts.Program {
  for (const { file, text } of modules) writeFileSync(file, text);
  return ts.createProgram(
    modules.map(({ file }) => file),
    options,
    undefined,
    before,
  );
}

/** The module of one import path. */
class ResultsModule {
  readonly file: string;
  readonly #importPath: string;
  readonly #head: string;
  readonly #lines: string[] = [];
  readonly #seen = new Set<string>();
  /** The place of the first of the newest results. */
  #first = 0;

  constructor(folder: string, { importPath, file }: PublicEntry) {
    this.file = join(folder, `results-of-${file}.mts`);
    this.#importPath = importPath;
    this.#head = `import * as entry from '${importPath}';\n${helpers}`;
  }

  /** How many results the module exports. */
  get count(): number {
    return this.#lines.filter((line) => line !== '').length;
  }

  /** The text, as an ES module. */
  get text(): string {
    return `${this.#head}${this.#lines.join('\n')}\n`;
  }

  /** Exports these results. */
  add(expressions: readonly string[]): void {
    this.#first = this.#lines.length;
    for (const expression of expressions)
      this.#lines.push(`export const r${this.#lines.length} = ${expression};`);
    if (this.#lines.length > mostResults) throw new Error(`${this.#importPath} has results without an end.`);
  }

  /** What one can import: values, and values of the types. */
  exports(program: ts.Program): string[] {
    const checker = program.getTypeChecker();
    const source = this.#sourceIn(program);
    const [statement] = source.statements;
    if (statement === undefined || !ts.isImportDeclaration(statement)) throw new Error('no import');
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
    if (module === undefined)
      throw new Error(`nothing is exported by ${statement.moduleSpecifier.getText()}`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const value = symbol.flags & ts.SymbolFlags.Value && !(symbol.flags & ts.SymbolFlags.Enum);
      const type = symbol.flags & ts.SymbolFlags.Type;
      return [
        ...(value ? [`entry.${exported.name}`] : []),
        ...(type ? [`given<entry.${exported.name}${typeArguments(symbol)}>()`] : []),
      ];
    });
  }

  /** What one can take from the newest results. */
  partsOfNewest(program: ts.Program): string[] {
    const checker = program.getTypeChecker();
    const source = this.#sourceIn(program);
    const first = this.#first;
    const constants = source.statements.filter(ts.isVariableStatement);
    return constants.slice(first).flatMap(({ declarationList }, index) => {
      const type = checker.getTypeAtLocation(Object(declarationList.declarations[0]));
      const present = checker.getNonNullableType(type);
      const name = `r${first + index}`;
      return this.#partsOf(checker, present, present === type ? name : `${name}!`, name);
    });
  }

  /** What one can take from a value: once for each type. */
  #partsOf(checker: ts.TypeChecker, type: ts.Type, value: string, name: string): string[] {
    const [declaration] = type.symbol?.declarations ?? [];
    const place = declaration && `${declaration.getSourceFile().fileName}:${declaration.pos}`;
    const identity = `${checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)} ${place}`;
    if (this.#seen.has(identity)) return [];
    this.#seen.add(identity);
    const calls = type.getCallSignatures().map((signature) => `${value}(${argumentsOf(signature)})`);
    const instances = type.getConstructSignatures().map((it) => `new ${value}(${argumentsOf(it)})`);
    const found = [...calls, ...instances];
    if (calls.length > 0) found.push(`given<Parameters<NonNullable<typeof ${name}>>>()`);
    if (instances.length > 0) found.push(`given<ConstructorParameters<typeof ${name}>>()`);
    if (type.symbol?.name === 'Promise') return [...found, `settled(${value})`];
    if (checker.isArrayType(type) || checker.isTupleType(type)) return [...found, `${value}[0]!`];
    if (type.getProperties().some(({ name }) => /^__@(asyncI|i)terator/.test(name)))
      found.push(`eachOf(${value})`);
    return [
      ...found,
      ...type
        .getProperties()
        .filter(isOurs)
        .map(({ name }) => memberOf(value, name)),
    ];
  }

  /** Leaves out each call for which no arguments can be made up: it says nothing. Returns whether there was one. */
  leaveOutMistakes(program: ts.Program): boolean {
    const source = this.#sourceIn(program);
    const first = this.#head.split('\n').length - 1;
    const mistakes = program.getSemanticDiagnostics(source);
    for (const { start = 0 } of mistakes)
      this.#lines[source.getLineAndCharacterOfPosition(start).line - first] = '';
    return mistakes.length > 0;
  }

  #sourceIn(program: ts.Program): ts.SourceFile {
    const source = program.getSourceFile(this.file);
    if (source === undefined) throw new Error(`the compiler did not take ${this.file}`);
    return source;
  }
}

/** The arguments of a generic type that have no default. */
function typeArguments(symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations?.filter(isGeneric) ?? [];
  const needed = declaration?.typeParameters?.filter((parameter) => parameter.default === undefined) ?? [];
  return needed.length === 0 ? '' : `<${needed.map(() => 'any').join(', ')}>`;
}

function isGeneric(
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

function argumentsOf({ parameters }: ts.Signature): string {
  const declared = parameters.map(({ valueDeclaration }) => valueDeclaration);
  return declared
    .filter((parameter) => !(parameter && ts.isParameter(parameter) && parameter.dotDotDotToken))
    .map(() => 'given()')
    .join(', ');
}

/** Whether the package or the program itself declares a property, and it is public. */
function isOurs({ name, declarations = [] }: ts.Symbol): boolean {
  if (name.startsWith('__') || name === 'prototype') return false;
  return declarations.some((declaration) => {
    const hidden = ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.NonPublicAccessibilityModifier;
    return !hidden && /messaging-automation\/dist\/|results-of-/.test(declaration.getSourceFile().fileName);
  });
}

function memberOf(value: string, name: string): string {
  return /^[\w$]+$/.test(name) && !/^\d/.test(name)
    ? `${value}.${name}`
    : `${value}[${JSON.stringify(name)}]`;
}
