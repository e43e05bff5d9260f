import { isAbsolute, relative } from 'node:path';
import ts from 'typescript';
import { publicEntries } from '../../scripts/public-entries.js';
import { programOf } from '../documentation/compiler.js';
import { repositoryFile } from '../repository.js';

/** An option of a public function, and what its type says of it. */
export interface PublicOption {
  /** With a dot where it is within another option: `backoff.initial`. */
  readonly name: string;
  /** What `typeof` says of the values that fit, and `array`, `null`, and `word` for a string that must be one of a few. */
  readonly kinds: ReadonlySet<string>;
  readonly isRequired: boolean;
  readonly comment: string;
}

/** A parameter with options, of a function, a constructor or a method that a user can call. */
export interface Taker {
  /** As in `createLimiter(options)`, `Transactional.send(options)` or `new MessagingAutomation(options)`. */
  readonly name: string;
  readonly options: readonly PublicOption[];
}

/** Every parameter with options that can be reached from the exports of the package. */
export function takersOfOptions(): readonly Taker[] {
  const program = programOf(publicEntries.map(({ source }) => repositoryFile(source)));
  return new Takers(program.getTypeChecker()).in(program);
}

class Takers {
  readonly #checker: ts.TypeChecker;
  readonly #found = new Map<string, Taker>();
  readonly #seen = new Set<ts.Symbol>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  in(program: ts.Program): readonly Taker[] {
    for (const { source } of publicEntries) {
      const file = program.getSourceFile(repositoryFile(source));
      const module = file && this.#checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`${source} exports nothing`);
      for (const exported of this.#checker.getExportsOfModule(module)) this.#readExport(exported);
    }
    return [...this.#found.values()].toSorted((one, other) => one.name.localeCompare(other.name));
  }

  #readExport(exported: ts.Symbol): void {
    const symbol =
      exported.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
    if (symbol.flags & ts.SymbolFlags.Value) {
      const type = this.#checker.getTypeOfSymbol(symbol);
      for (const signature of type.getCallSignatures()) this.#readCall(symbol.name, signature);
      for (const signature of type.getConstructSignatures()) {
        if (!isInternal(signature.declaration)) this.#readCall(`new ${symbol.name}`, signature);
        this.#readType(signature.getReturnType());
      }
    }
  }

  /** A function of this package: its options, and what it returns. */
  #readCall(name: string, signature: ts.Signature): void {
    for (const parameter of signature.parameters) {
      const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(parameter));
      if (!this.#isOptions(type, parameter.name === 'options')) continue;
      const taker = `${name}(${nameOf(parameter)})`;
      if (!this.#found.has(taker)) this.#found.set(taker, { name: taker, options: this.#optionsOf(type) });
    }
    this.#readType(signature.getReturnType());
  }

  /** What a function returns, or what is at a property: its methods may have options, too. */
  #readType(type: ts.Type): void {
    const resolved = this.#checker.getAwaitedType(type) ?? type;
    if (resolved.isUnionOrIntersection()) for (const part of resolved.types) this.#readType(part);
    const symbol = resolved.aliasSymbol ?? resolved.getSymbol();
    if (symbol === undefined || !isOurs(symbol) || this.#seen.has(symbol)) return;
    this.#seen.add(symbol);
    const owner = symbol.name.startsWith('__') ? 'it' : symbol.name;
    for (const property of this.#checker.getPropertiesOfType(resolved)) {
      if (property.name.includes('#') || property.getDeclarations()?.some(isInternal)) continue;
      const held = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(property));
      for (const signature of held.getCallSignatures())
        this.#readCall(`${owner}.${property.name}`, signature);
      this.#readType(held);
    }
  }

  /** An object of this package that can leave something out. What has methods is a part that does something. */
  #isOptions(type: ts.Type, isNamedSo = false): boolean {
    if (type.getCallSignatures().length > 0 || this.#checker.isArrayType(type)) return false;
    const parts = type.isUnionOrIntersection() ? type.types : [type];
    const properties = this.#checker.getPropertiesOfType(type);
    const isOwn = parts.some((part) => isOurs(part.aliasSymbol ?? part.getSymbol()));
    const acts = properties.some(
      (property) => property.flags & ts.SymbolFlags.Method && !(property.flags & ts.SymbolFlags.Optional),
    );
    return isOwn && !acts && (isNamedSo || properties.some(({ flags }) => flags & ts.SymbolFlags.Optional));
  }

  #optionsOf(type: ts.Type, prefix = ''): readonly PublicOption[] {
    return this.#checker.getPropertiesOfType(type).flatMap((property) => {
      const whole = this.#checker.getTypeOfSymbol(property);
      const held = this.#checker.getNonNullableType(whole);
      const name = prefix + property.name;
      const option = {
        name,
        kinds: new Set(this.#kindsOf(whole)),
        isRequired: !(property.flags & ts.SymbolFlags.Optional),
        comment: ts.displayPartsToString(property.getDocumentationComment(this.#checker)),
      };
      const objects = (held.isUnion() ? held.types : [held]).filter((part) => this.#isOptions(part));
      const [within] = prefix === '' ? objects : [];
      return within === undefined ? [option] : [option, ...this.#optionsOf(within, `${name}.`)];
    });
  }

  #kindsOf(type: ts.Type): readonly string[] {
    if (type.isUnion()) return type.types.flatMap((part) => this.#kindsOf(part));
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter))
      return ['anything'];
    if (type.flags & ts.TypeFlags.Undefined) return [];
    if (type.flags & ts.TypeFlags.StringLiteral) return ['word'];
    if (
      type.flags & ts.TypeFlags.StringLike ||
      (type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.String))
    )
      return ['string'];
    if (type.flags & ts.TypeFlags.NumberLike) return ['number'];
    if (type.flags & ts.TypeFlags.BooleanLike) return ['boolean'];
    if (type.flags & ts.TypeFlags.Null) return ['null'];
    if (type.getCallSignatures().length > 0) return ['function'];
    return [this.#checker.isArrayType(type) || this.#checker.isTupleType(type) ? 'array' : 'object'];
  }
}

function nameOf({ name }: ts.Symbol): string {
  return name.startsWith('__') ? 'options' : name;
}

function isOurs(symbol: ts.Symbol | undefined): boolean {
  return (
    symbol?.getDeclarations()?.some((declaration) => {
      const path = relative(repositoryFile('src'), declaration.getSourceFile().fileName);
      return !path.startsWith('..') && !isAbsolute(path);
    }) ?? false
  );
}

function isInternal(declaration: ts.Node | undefined): boolean {
  return (
    declaration !== undefined &&
    ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal')
  );
}
