import { expect, test } from 'vitest';
import { trendOf } from './accounting/memory.js';
import { tellsOfItsClock, unexpectedErrors } from './chaos/logged-errors.js';

const megabyte = 2 ** 20;

test.each([
  ['flat, if it rises and falls', 'flat', 30, (seconds: number) => 40 + ((seconds / 10) % 3)],
  ['flat, if it fills at first', 'flat', 30, (seconds: number) => Math.min(20 + seconds, 60)],
  ['growing, if it grows steadily', 'growing', 30, (seconds: number) => 20 + seconds / 12],
  ['too short to judge after four samples', 'too short to judge', 4, (seconds: number) => seconds],
])('the heap is %s', (_, verdict, count, megabytesAt) => {
  const samples = Array.from({ length: count }, (__, index) => {
    return { seconds: index * 10, bytes: megabytesAt(index * 10) * megabyte };
  });
  const trend = trendOf(samples);
  expect(trend.verdict).toBe(verdict);
  if (verdict === 'growing') expect(trend.slope).toBeCloseTo(5 * megabyte, -3);
});

test('the errors of a log that no disruption explains are reported once, with their number', () => {
  const logged = (message: string, second = 0) =>
    JSON.stringify({ type: 'error', time: `2026-01-01T09:00:0${second}.000Z`, message, replica: 'one' });
  const log = [
    'not JSON',
    JSON.stringify({ type: 'request', status: 500, error: 'internal_error' }),
    logged('TypeError: Another workspace of this service has this id.'),
    logged('TypeError: Another workspace of this service has this id.', 1),
    logged('The database has stopped a statement. Transactions collided … (40P01: deadlock detected).'),
    // A disruption explains these.
    logged('The server cannot connect to its database. Nothing listens …'),
    logged('The database has stopped a statement. A statement took longer … (57014: canceling …). Look …'),
    logged('Error: The clock of this machine is 90.0 s ahead of that of the database. The replica uses …'),
    logged('Error: The row "run_1" of journey_runs in the workspace "w" cannot be read: …'),
    logged('Error: The row "run_2" of journey_runs in the workspace "w" cannot be read: …'),
    '{"type":"error","message":"cut',
  ].join('\n');
  expect(tellsOfItsClock(log)).toBe(true);
  expect(tellsOfItsClock(logged('The database has stopped a statement.'))).toBe(false);
  expect(unexpectedErrors(log, ['run_1'])).toEqual([
    '2 times, first at 2026-01-01T09:00:00.000Z: TypeError: Another workspace of this service has this id.',
    '1 times, first at 2026-01-01T09:00:00.000Z: The database has stopped a statement. Transactions collided … (40P01: deadlock detected).',
    expect.stringContaining('1 times, first at 2026-01-01T09:00:00.000Z: Error: The row "run_2" of'),
  ]);
});
