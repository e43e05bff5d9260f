/** The characters of Windows-1252 for the bytes from 0x80 to 0x9F. All other bytes are the same as in Latin-1. */
const windows1252 =
  '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178';

/**
 * Encodes as Latin-1 or Windows-1252, which web standards also call Latin-1: one byte for each character. `undefined` if the text has
 * characters of neither.
 */
export function fromLatin1(text: string): Uint8Array | undefined {
  const bytes = Array.from(text, (character) => {
    const index = windows1252.indexOf(character);
    return index < 0 ? (character.codePointAt(0) ?? Number.NaN) : 0x80 + index;
  });
  return bytes.every((byte) => byte <= 0xff) ? Uint8Array.from(bytes) : undefined;
}

/** Decodes Latin-1, one character for each byte. */
export function toLatin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** Decodes UTF-8 and keeps the byte order mark. `undefined` if the bytes are not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
