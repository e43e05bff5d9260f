/** The bytes that base64 stands for, of either alphabet, with or without padding; `undefined` for what is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return decodeBase64(text);
  } catch {
    return undefined;
  }
}

/** The same, for what is base64 beyond doubt. */
export function decodeBase64(text: string): Uint8Array {
  return fromLatin1(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
}

/** Base64 of the ordinary alphabet, padded. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(toLatin1(bytes));
}

/** The bytes that hex digits stand for; `undefined` for what is not hex. */
export function fromHex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

/** One byte a character: those of a text that has none beyond U+00FF. */
export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

/** One character a byte. */
export function toLatin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** The text of UTF-8, its byte order mark kept; `undefined` for other bytes. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a JSON text stands for; `undefined` for what is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
