import { expect, test } from 'vitest';
import { isAsExpected, type Row, tableLines } from './table.js';

const row: Row = {
  from: '0.2.0',
  kind: 'A file',
  way: 'stopped',
  before: 'a delivery',
  now: 'delivered after 2 POSTs',
  expected: 'delivered',
};

test('a row is as expected if it has what counts', () => {
  expect(isAsExpected(row)).toBe(true);
  expect(isAsExpected({ ...row, now: 'pending' })).toBe(false);
});

test('the table has a title for each way of a kind, and says what was expected where that is not so', () => {
  expect(
    tableLines([row, { ...row, before: 'another', now: 'pending' }, { ...row, way: 'rolling' }]),
  ).toEqual([
    '',
    'A file, from 0.2.0, stopped',
    '  ✓ a delivery  delivered after 2 POSTs',
    '  ✗ another     pending\n                EXPECTED: delivered',
    '',
    'A file, from 0.2.0, rolling',
    '  ✓ a delivery  delivered after 2 POSTs',
  ]);
});
