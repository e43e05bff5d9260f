/**
 * What no text from outside may write to a terminal: control characters, and the invisible ones that change the direction of
 * the text, or take no room. U+200D remains between the parts of an emoji.
 */
const unprintable =
  /(?!(?<=\p{Extended_Pictographic}|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes what comes from outside, so that it cannot move the cursor, change a colour, reverse a line, hide or end it. Each
 * command prints such text by this function alone. Within JSON the result is the same JSON.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The same for a text whose line ends are our own, such as JSON over several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A receiver's URL for output, without its query, which may hold a secret. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
