/** Escapes foreign text for a line of source: line ends, and invisible and bidirectional characters. */
export function escaped(text: string): string {
  return text.replace(/[\\\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\ufeff]/gu, (character) =>
    character === '\\' ? '\\\\' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Text as a string literal. */
export function quoted(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`;
}

/** The value of a string literal, of this package or of a formatter. */
export function unquoted(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(
      /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))/g,
      (_, four?: string, two?: string, plain: string = '') => {
        const code = four ?? two;
        return code === undefined
          ? (letters[plain] ?? plain)
          : String.fromCharCode(Number.parseInt(code, 16));
      },
    );
}

const letters: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
