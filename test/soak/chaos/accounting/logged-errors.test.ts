import { expect, test } from 'vitest';
import { unexpectedErrors } from './logged-errors.js';

const logged = (message: string, time = '2026-01-01T09:00:00.000Z') =>
  JSON.stringify({ type: 'error', time, message, replica: 'one' });

test('an error that no disruption explains is found, with how often it occurs', () => {
  const log = [
    'not JSON',
    JSON.stringify({ type: 'request', status: 500, error: 'internal_error' }),
    logged('TypeError: Another workspace of this service has this id.'),
    logged('TypeError: Another workspace of this service has this id.', '2026-01-01T09:00:01.000Z'),
    logged('Error: A query of many calls did not answer each.'),
    logged('error: deadlock detected'),
    '{"type":"error","message":"cut',
  ].join('\n');

  expect(unexpectedErrors(log)).toEqual([
    '2 times, first at 2026-01-01T09:00:00.000Z: TypeError: Another workspace of this service has this id.',
    '1 times, first at 2026-01-01T09:00:00.000Z: Error: A query of many calls did not answer each.',
    '1 times, first at 2026-01-01T09:00:00.000Z: error: deadlock detected',
  ]);
});

test('a lost connection and a wait for a stopped replica are expected', () => {
  const log = [
    logged('StoreUnavailableError: The server cannot reach its database.'),
    logged('Error: Connection terminated unexpectedly'),
    logged('error: terminating connection due to administrator command'),
    logged('error: canceling statement due to statement timeout'),
  ].join('\n');

  expect(unexpectedErrors(log)).toEqual([]);
});
