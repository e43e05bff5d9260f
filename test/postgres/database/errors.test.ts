import { expect, test } from 'vitest';
import { explained } from '../../../src/postgres/database/errors.js';

test.each([
  ['as the database gives it', (lost: Error): Error => lost],
  ['as the cause of another', (lost: Error): Error => new Error('The migration failed.', { cause: lost })],
])('a connection lost at the start, %s, is one that serve waits for', (_, thrownFor) => {
  const lost = Object.assign(new Error('server login has been failing'), { code: '08P01' });
  expect(explained(thrownFor(lost))).toMatchObject({
    message: expect.stringContaining('PostgreSQL cannot be reached: server login has been failing.'),
    cause: { name: 'StoreUnavailableError', cause: lost },
  });
});
