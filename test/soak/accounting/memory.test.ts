import { expect, test } from 'vitest';
import { trendOf } from './memory.js';

const megabyte = 2 ** 20;

/** A sample every ten seconds. */
const samples = (bytesOf: (seconds: number) => number, count = 30) =>
  Array.from({ length: count }, (_, index) => ({ seconds: index * 10, bytes: bytesOf(index * 10) }));

test('a heap that breathes is flat', () => {
  const breathing = samples((seconds) => 40 * megabyte + ((seconds / 10) % 3) * megabyte);

  expect(trendOf(breathing).verdict).toBe('flat');
});

test('a heap that fills at first and then stays is flat', () => {
  const warm = samples((seconds) => Math.min(20 + seconds, 60) * megabyte);

  expect(trendOf(warm).verdict).toBe('flat');
});

test('a heap that grows steadily is told by its slope', () => {
  const trend = trendOf(samples((seconds) => (20 + seconds / 12) * megabyte));

  expect(trend.verdict).toBe('growing');
  expect(trend.slope).toBeCloseTo(5 * megabyte, -3);
});

test('a few samples make no line', () => {
  expect(trendOf(samples((seconds) => seconds * megabyte, 4)).verdict).toBe('too short to judge');
});
