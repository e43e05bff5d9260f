/** The memory that any view of it shows, as an array of this realm, whatever realm the view is from. */
export function bytesOfView(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** The UTF-8 bytes of a string; bytes as they are. */
export function toBytes(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? new TextEncoder().encode(value) : value;
}

/** The same, in memory that nobody else holds, so that nobody can change it later. */
export function toOwnBytes(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value);
}

/** Lowercase hex, two digits a byte. Takes the same time whatever the bytes are: those of a digest may be secret. */
export function toHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(2 * bytes.length);
  bytes.forEach((byte, index) => {
    codes[2 * index] = digitCode(byte >> 4);
    codes[2 * index + 1] = digitCode(byte & 15);
  });
  return String.fromCharCode(...codes);
}

/** By arithmetic alone: past 9 the sign bit lets through the 39 characters from `9` to `a`. */
function digitCode(nibble: number): number {
  return nibble + 48 + (((9 - nibble) >> 31) & 39);
}
