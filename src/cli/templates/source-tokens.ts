import { unquoted } from './source-text.js';

/** A part of a source file. */
export interface SourceToken {
  readonly kind: 'comment' | 'string' | 'word' | 'mark' | 'unknown';
  /** The characters; for a string literal, its value. */
  readonly value: string;
  /** Counted from 1. */
  readonly line: number;
}

const patterns = [
  ['comment', String.raw`\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/`],
  ['string', [`'`, `"`].map(stringIn).join('|')],
  ['word', String.raw`[\p{ID_Start}_$][\p{ID_Continue}$]*`],
  ['mark', String.raw`[{}()[\]:;,=]`],
  ['unknown', String.raw`\S`],
] as const;

const anyToken = new RegExp(patterns.map(([kind, pattern]) => `(?<${kind}>${pattern})`).join('|'), 'gu');

/** Matches a string literal with the escapes that `unquoted` reads. */
function stringIn(quote: string): string {
  return String.raw`${quote}(?:[^${quote}\\\n\r]|\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^\dux\n\r\u2028\u2029]))*${quote}`;
}

/** Splits a source file of plain data into tokens. */
export function* tokensOf(source: string): Generator<SourceToken> {
  let line = 1;
  let counted = 0;
  for (const { index, groups = {} } of source.matchAll(anyToken)) {
    line += source.slice(counted, index).split('\n').length - 1;
    counted = index;
    for (const [kind] of patterns) {
      const value = groups[kind];
      if (value !== undefined) yield { kind, line, value: kind === 'string' ? unquoted(value) : value };
    }
  }
}
