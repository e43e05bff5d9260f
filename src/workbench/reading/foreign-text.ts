import { counted } from './counted.js';

/** The most characters of a foreign text that show at a place for reading. */
const mostShown = 20_000;

/**
 * All but what an eye sees, and does not change the order of others. Written as what is allowed, because the browser takes long to prepare
 * a class such as `\p{Cc}`.
 */
const unseen = /[^\t\n\r -~\u00a0-\u200a\u2010-\u2029\u202f-\u2065\u206a-\ufefe\uff00-\uffff]/g;

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
  return part === text ? marked : `${marked}… ${counted(text.length)} characters in all`;
}

/** An id in at most 16 characters: with its beginning and its end, which tell ids apart. */
export function shortened(id: string): string {
  const characters = [...seen(id)];
  if (characters.length <= 16) return characters.join('');
  return [...characters.slice(0, 9), '…', ...characters.slice(-6)].join('');
}
