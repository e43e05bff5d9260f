/** What a column of text cannot hold: NUL, and half of a surrogate pair. The backslash marks them. */
const unwritable = /[\\\0\p{Surrogate}]/gu;

/** Writes any text so that a column of text holds it. Most texts stay as they are. */
export function toText(text: string): string {
  return text.replace(
    unwritable,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The text that `toText` wrote. */
export function fromText(written: string): string {
  return written.replace(/\\([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
