import { expect, test } from 'vitest';
import { isDuplicate, isLostConnection, StoreFailures } from '../../../src/postgres/database/errors.js';
import type { StoreCause } from '../../../src/server/model/service-error.js';
import { ManualClock } from '../../server/support/manual-clock.js';

const failed = (code: string, message = 'words of the database') =>
  Object.assign(new Error(message), { code });

test.each([
  ['as the database gives it', (lost: Error): Error => lost],
  ['as the cause of another', (lost: Error): Error => new Error('The migration failed.', { cause: lost })],
])('a connection lost at the start, %s, is one that serve waits for', (_, thrownFor) => {
  const lost = failed('08P01', 'server login has been failing');
  expect(new StoreFailures().ofStart(thrownFor(lost))).toMatchObject({
    message: expect.stringContaining(
      'PgBouncer cannot log in to PostgreSQL (08P01: server login has been failing). Look at its log.',
    ),
    cause: { name: 'StoreUnavailableError' },
  });
});

test('whatever prevents a connection is 503, also what is not known', () => {
  for (const error of [failed('28P01'), failed('99999'), new TypeError('odd'), 'odd', undefined]) {
    const converted = new StoreFailures().ofConnecting(error);
    expect(converted).toMatchObject({ name: 'StoreUnavailableError', code: 'service_unavailable' });
    expect(converted).toMatchObject({ reason: { message: expect.stringMatching(/ \S+\. \S.*\.$/) } });
  }
});

test('a connection string that is no URL is refused without its text', () => {
  const invalid = Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: 'p4ssword' });
  const converted = new StoreFailures().ofConnecting(invalid);
  expect(converted).toMatchObject({ name: 'ConfigurationError' });
  expect(JSON.stringify(converted, Object.getOwnPropertyNames(converted))).not.toContain('p4ssword');
});

test.each([
  ['53100', 'StoreBusyError'],
  ['58030', 'StoreBusyError'],
  ['57P01', 'StoreUnavailableError'],
  ['42501', 'StoreRefusedError'],
  ['22P02', 'StoreRefusedError'],
  ['P0001', 'Error'],
])('a statement that fails with %s is a %s', (code, name) => {
  expect(new StoreFailures().ofStatement(failed(code))).toMatchObject({ name });
});

test('each cause is reported once a minute, and the latest explains a silence for ten seconds', () => {
  const clock = new ManualClock();
  const failures = new StoreFailures(clock);
  const told: StoreCause[] = [];
  failures.onCause = (cause) => told.push(cause);
  failures.ofStatement(failed('53100', 'one file'));
  failures.ofStatement(failed('53100', 'another file'));
  failures.ofStatement(failed('57014'));
  expect(told.map(({ code }) => code)).toEqual(['53100', '57014']);
  expect(failures.latest).toMatchObject({ code: '57014' });
  clock.pass(10_000);
  expect(failures.latest).toBeUndefined();
  clock.pass(49_000);
  failures.ofStatement(failed('53100'));
  expect(told).toHaveLength(2);
  clock.pass(1_000);
  failures.ofStatement(failed('53100'));
  expect(told.map(({ code }) => code)).toEqual(['53100', '57014', '53100']);
});

test('the operator reads the words of the database, /health does not, and nobody reads data', () => {
  const causeOf = (code: string, message: string) =>
    Reflect.get(Object(new StoreFailures().ofStatement(failed(code, message))), 'reason');
  const missing = causeOf('42P01', 'relation "jobs"\n does not exist');
  expect(missing).toMatchObject({ code: '42P01' });
  expect(missing.message).toContain(
    '(42P01: relation "jobs" does not exist). Run messaging-automation migrate',
  );
  expect(missing.inPublic).not.toContain('jobs');
  for (const code of ['22P02', '23503', '23514']) {
    const { message } = causeOf(code, 'invalid input syntax: "+15551234567"');
    expect(message).toContain(`(${code}). `);
    expect(message).not.toContain('+1555');
  }
  expect(causeOf('57P01', 'x'.repeat(5_000)).message.length).toBeLessThan(600);
});

test('a key that exists is known, also after the statement was refused, and is no failure to report', () => {
  const taken = Object.assign(failed('23505'), { constraint: 'contacts_pkey' });
  const failures = new StoreFailures();
  const refused = failures.ofStatement(taken);
  expect([failures.latest, Object(refused).reason]).toEqual([undefined, undefined]);
  for (const error of [taken, refused]) {
    expect(isDuplicate(error, 'contacts_pkey')).toBe(true);
    expect(isDuplicate(error, 'others_pkey')).toBe(false);
  }
});

test.each([
  ['Connection terminated unexpectedly', true],
  ['Connection terminated due to connection timeout', true],
  ['Query read timeout', true],
  ['timeout exceeded when trying to connect', true],
  ['Client was closed and is not queryable', true],
  ['There was an error establishing an SSL connection', true],
  ['something else', false],
])('pg says without a code that a connection is lost: %s: %s', (message, isLost) => {
  expect(isLostConnection(new Error(message))).toBe(isLost);
});
