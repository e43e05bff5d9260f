/** The bytes in base64, or else those of the text in UTF-8. */
export function bytesIn(text: string, base64: string | undefined): Uint8Array {
  if (base64 === undefined) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** A hex dump: 16 bytes a line, with their offset and their printable characters. */
export function hexDump(all: Uint8Array, limit = 16_384): string {
  const bytes = all.subarray(0, limit);
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const line = [...bytes.subarray(offset, offset + 16)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = line
      .map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·'))
      .join('');
    lines.push(`${offset.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${characters}`);
  }
  if (all.length > limit) lines.push(`… ${all.length - limit} more bytes`);
  return lines.join('\n');
}
