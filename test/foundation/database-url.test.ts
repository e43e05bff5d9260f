import { expect, test } from 'vitest';
import { databaseUrl } from '../../src/foundation/database-url.js';

test.each([
  ['postgres://user:secret@host/db', 'host', 'db'],
  ['postgresql://host:5433/db', 'host:5433', 'db'],
  ['postgres://user@host', 'host', 'user'],
  ['postgres:///db?host=/run/postgresql', '/run/postgresql', 'db'],
  ['postgres://user@/db?host=/run/postgresql', '/run/postgresql', 'db'],
  ['postgres://user:a%40b@/db?host=/run', '/run', 'db'],
  ['postgres://user@%2Frun%2Fpostgresql/db', '/run/postgresql', 'db'],
  ['postgres://user@/db', 'localhost', 'db'],
  ['postgres:///', 'localhost', 'postgres'],
  ['postgres://[::1]:5432/a%20b', '[::1]:5432', 'a b'],
])('%s is at %s the database %s', (url, host, database) => {
  expect(databaseUrl(url)).toEqual({ host, database });
});

test.each([
  'mysql://host/db',
  'host/db',
  '',
  'postgres:db',
  'postgres://user:p@ss/word@host/db',
  'postgres://h/%zz',
])('%j is none', (url) => expect(databaseUrl(url)).toBeUndefined());
