/** Characters that a text column cannot contain: NUL and lone surrogates. A backslash escapes them. */
const unwritable = /[\\\0\p{Surrogate}]/gu;

/** Escapes a text so that a text column can contain it. Most texts stay unchanged. */
export function toText(text: string): string {
  return text.replace(
    unwritable,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Restores a text that `toText` escaped. */
export function fromText(written: string): string {
  return written.replace(/\\([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
