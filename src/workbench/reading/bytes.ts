/** A hex dump of the UTF-8 bytes of a text: 16 bytes a line, with their offset and their printable characters. */
export function hexDump(text: string, limit = 16_384): string {
  const all = new TextEncoder().encode(text);
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

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Indented JSON. Other text stays as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
