/** The most characters of a foreign text that show at a place for reading. */
const mostShown = 20_000;

/** Characters that no eye sees, and those that change the order of others. Line ends and tabs are not among them. */
const unseen = /(?![\t\n\r])\p{Cc}|[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Text from a contact, a template or a receiver, as the page shows it: invisible characters are marks such as `[U+202E]`, and
 * a long text is cut and tells its length.
 */
export function seen(text: string, most = mostShown): string {
  const part = text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text;
  const marked = part.replace(
    unseen,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
  return part === text ? marked : `${marked}… ${lengthOf(text.length)} in all`;
}

function lengthOf(characters: number): string {
  return `${characters.toLocaleString('en')} characters`;
}
