import type { PulledTemplate } from './pulled-template.js';
import { type SourceToken, tokensOf } from './source-tokens.js';
import { firstLine, packageName, textMark } from './templates-source.js';

/** The content of a file: templates, a file that `templates pull` did not write, or one that was changed from a line on. */
export type TemplatesSource =
  | { readonly kind: 'pulled'; readonly templates: readonly PulledTemplate[] }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'changed'; readonly line: number };

/** Reads a file of `templates pull`, which a formatter may have reformatted. Does not execute it. */
export function readTemplatesSource(source: string): TemplatesSource {
  if (!source.trimStart().startsWith(firstLine)) return { kind: 'foreign' };
  const reader = new SourceReader(tokensOf(source));
  const templates = reader.templates();
  return templates === undefined ? { kind: 'changed', line: reader.line } : { kind: 'pulled', templates };
}

/** Parses the tokens. A method returns `undefined` if the expected token is missing; `line` is then its place. */
class SourceReader {
  readonly #tokens: Iterator<SourceToken>;
  #token: SourceToken | undefined;
  #comments: string[] = [];
  line = 1;

  constructor(tokens: Iterator<SourceToken>) {
    this.#tokens = tokens;
    this.#move();
  }

  templates(): readonly PulledTemplate[] | undefined {
    const words = ['import', '{', 'defineWorkspace', '}', 'from'];
    if (!words.every((word) => this.#takes(word))) return undefined;
    if (this.#string() !== packageName) return undefined;
    this.#takes(';');
    const opening = ['export', 'const', 'workspace', '=', 'defineWorkspace', '(', '{', 'templates', ':'];
    if (!opening.every((word) => this.#takes(word))) return undefined;
    const names = new Set<string>();
    const ids = new Set<string>();
    const templates = this.#list('{', '}', () => this.#template(names, ids));
    if (templates === undefined) return undefined;
    this.#takes(',');
    if (!this.#takes('}') || !this.#takes(')')) return undefined;
    this.#takes(';');
    return this.#token === undefined ? templates : undefined;
  }

  /** The next template. `undefined` if its name or id repeats an earlier one. */
  #template(names: Set<string>, ids: Set<string>): PulledTemplate | undefined {
    const text = this.#comments
      .filter((comment) => comment.startsWith(textMark))
      .map((comment) => comment.slice(textMark.length).replace(/^ /, '').trimEnd());
    const name = this.#key();
    if (name === undefined || names.has(name) || ![':', '{', 'id', ':'].every((word) => this.#takes(word)))
      return undefined;
    const id = this.#string();
    if (id === undefined || id === '' || ids.has(id)) return undefined;
    let variables: readonly string[] | undefined = [];
    if (this.#takes(',') && this.#takes('variables')) {
      if (!this.#takes(':')) return undefined;
      variables = this.#list('[', ']', () => this.#string());
      this.#takes(',');
    }
    if (variables === undefined || variables.includes('')) return undefined;
    if (new Set(variables).size < variables.length) return undefined;
    this.#comments = [];
    names.add(name);
    ids.add(id);
    return this.#takes('}') ? { id, name, variables, text } : undefined;
  }

  #key(): string | undefined {
    if (this.#takes('[')) {
      const name = this.#string();
      return this.#takes(']') ? name : undefined;
    }
    const { kind, value } = this.#token ?? {};
    if (kind === 'word') this.#move();
    return kind === 'word' ? value : this.#string();
  }

  #string(): string | undefined {
    const { kind, value } = this.#token ?? {};
    if (kind !== 'string') return undefined;
    this.#move();
    return value;
  }

  #list<Item>(open: string, close: string, item: () => Item | undefined): Item[] | undefined {
    if (!this.#takes(open)) return undefined;
    const items: Item[] = [];
    while (!this.#takes(close)) {
      const next = item();
      if (next === undefined) return undefined;
      items.push(next);
      if (!this.#takes(',')) return this.#takes(close) ? items : undefined;
    }
    return items;
  }

  /** Consumes this word or mark if it is next. A string literal of the same characters does not match. */
  #takes(value: string): boolean {
    if (this.#token?.value !== value || this.#token.kind === 'string') return false;
    this.#move();
    return true;
  }

  #move(): void {
    let next = this.#tokens.next();
    for (; next.value?.kind === 'comment'; next = this.#tokens.next()) this.#comments.push(next.value.value);
    this.#token = next.value;
    this.line = next.value?.line ?? this.line;
  }
}
