import { crc32, inflateSync } from 'node:zlib';
import { zlibAsync } from '@gfx/zopfli';

/**
 * Writes a picture of a page, a PNG as Chromium makes it, with a palette: a third of its size. The most frequent colours stay;
 * each other one becomes the nearest of them.
 */
export async function withPalette(png: Buffer, colors = 128): Promise<Buffer> {
  const { width, height, channels, bytes } = decode(png);
  const counts = new Map<number, number>();
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) {
    const color = bytes.readUIntBE(at * channels, 3);
    pixels[at] = color;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const palette = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([color]) => color);
  const kept = palette.slice(0, colors);
  const indexOf = new Map(palette.map((color) => [color, nearest(kept, color)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let at = 0; at < pixels.length; at += 1)
    rows[at + Math.floor(at / width) + 1] = indexOf.get(pixels[at] ?? 0) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // 8 bits, a palette
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(kept.flatMap(parts))),
    chunk('IDAT', Buffer.from(await zlibAsync(rows, { numiterations: 15 }))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(kept: readonly number[], color: number): number {
  const distances = kept.map((each) => distance(parts(each), parts(color)));
  return distances.indexOf(Math.min(...distances));
}

function parts(color: number): readonly [number, number, number] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

function distance([r, g, b]: ReturnType<typeof parts>, [x, y, z]: ReturnType<typeof parts>): number {
  return (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2;
}

/** The pixels of a PNG with 8 bits a channel, without a palette and not interlaced. */
function decode(png: Buffer) {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const filtered = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : (bytes[y * stride + x - channels] ?? 0);
      const up = y === 0 ? 0 : (bytes[(y - 1) * stride + x] ?? 0);
      const corner = y === 0 || x < channels ? 0 : (bytes[(y - 1) * stride + x - channels] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      bytes[y * stride + x] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return { width, height, channels, bytes };
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(estimate - each));
  if (a === undefined || b === undefined || c === undefined) return 0;
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
