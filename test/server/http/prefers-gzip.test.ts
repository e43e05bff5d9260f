import { expect, test } from 'vitest';
import { prefersGzip } from '../../../src/server/http/page/prefers-gzip.js';

test.each([
  'gzip',
  'GZIP',
  'x-gzip',
  'gzip, deflate, br, zstd',
  'br;q=1.0,gzip;q=0.8',
  'gzip ; q = 0.5',
  'gzip;q=0.001',
  'gzip;q=1.000',
  '*',
  'br;q=0, *',
  'gzip, identity',
  'identity;q=0.5, gzip;q=0.5',
  'identity;q=0, *;q=0.2',
  'gzip;level=9;q=0.5',
  ', gzip,',
])('gzip goes to a client that sends Accept-Encoding: %s', (header) => {
  expect(prefersGzip(header)).toBe(true);
});

test.each([
  undefined,
  '',
  'identity',
  'br',
  'gzip;q=0',
  'gzip;Q=0.000',
  'gzip;q=0, *',
  '*;q=0',
  'identity, gzip;q=0.5',
  'identity;q=0.6, *;q=0.5',
  'gzipped, not-gzip',
  'gzip;q=abc',
  'gzip;q=-1',
  'gzip;q=2',
  'gzip;q=0.0001',
  'br;q=1, deflate;q=1',
])('the file as it is goes to a client that sends Accept-Encoding: %s', (header) => {
  expect(prefersGzip(header)).toBe(false);
});
