/** Returns the memory of a view as an array of this realm. The view may come from another realm. */
export function bytesOfView(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** The UTF-8 bytes of a string; bytes as they are. */
export function toBytes(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? new TextEncoder().encode(value) : value;
}

/** Copies the bytes, so that no other code can change them later. */
export function toOwnBytes(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value);
}

/** Decodes base64 of either alphabet, with or without padding. `undefined` if the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
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

/** Converts to lowercase hex, two digits for each byte. The time does not depend on the bytes, because a digest may be secret. */
export function toHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(2 * bytes.length);
  bytes.forEach((byte, index) => {
    codes[2 * index] = digitCode(byte >> 4);
    codes[2 * index + 1] = digitCode(byte & 15);
  });
  return String.fromCharCode(...codes);
}

/** Uses only arithmetic: for values above 9, the sign bit adds the distance of 39 between `9` and `a`. */
function digitCode(nibble: number): number {
  return nibble + 48 + (((9 - nibble) >> 31) & 39);
}
