import { counted } from './counted.js';

/** The most characters of a foreign text that show at a place for reading. */
const mostShown = 20_000;

/**
 * All but what an eye sees, and does not change the order of others. Written as what is allowed, because the browser takes long to prepare
 * a class such as `\p{Cc}`. A joiner is seen where it joins emoji, or letters of a script that has joiners.
 */
const unseen =
  /(?<=[\u0590-\u1fff\u2070-\uffff])[\u200c\u200d](?=[\u0590-\u1fff\u2070-\uffff])|([^\t\n\r -~\u00a0-\u200a\u2010-\u2029\u202f-\u2065\u206a-\ufefe\uff00-\uffff])/g;

/**
 * Text from a contact, a template or a receiver, as the page shows it: invisible characters are marks such as `[U+202E]`, and
 * a long text is cut and tells its length.
 */
export function seen(text: string, most = mostShown): string {
  const part = beginningOf(text, most);
  const marked = part.replace(unseen, (character, mark) =>
    mark === undefined ? character : `[U+${hexOf(character)}]`,
  );
  return part === text ? marked : `${marked}… ${counted(text.length)} characters in all`;
}

/** An id in at most 16 characters: with its beginning and its end, which tell ids apart. */
export function shortened(id: string): string {
  const characters = [...seen(id)];
  if (characters.length <= 16) return characters.join('');
  return [...characters.slice(0, 9), '…', ...characters.slice(-6)].join('');
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

const characters = new Intl.Segmenter();

/** The most code units that what a person sees as one character may have. */
const mostInCharacter = 64;

/** The first part of a text, up to a length. It cuts nothing apart that a person sees as one character, such as a joined emoji. */
function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = characters.segment(text.slice(0, most + mostInCharacter)).containing(most)?.index ?? most;
  // Hundreds of marks on one letter are cut, between two code points.
  return text.slice(0, end > most - mostInCharacter ? end : most).replace(/[\ud800-\udbff]$/, '');
}

/** The first of the characters that a person sees. Empty for an empty text. */
export function firstCharacter(text: string): string {
  const [first] = characters.segment(text.slice(0, mostInCharacter));
  return first?.segment ?? '';
}

/** A text as a search compares it: without the difference of case, accents and forms. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}
