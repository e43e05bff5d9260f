/**
 * Installs the programs that the tests use, where this user may and they are missing, and prints what cannot be had. A run
 * of the tests does so itself; this is for a user with the right to install, before another one runs the tests.
 */
import { findChromium } from './chromium.js';
import { findNginx } from './nginx-server.js';
import { findPgbouncer } from './pgbouncer-server.js';
import { findPostgres } from './postgres-programs.js';
import { findRedis } from './redis-server.js';

for (const [name, find] of [
  ['PostgreSQL', findPostgres],
  ['PgBouncer', findPgbouncer],
  ['Redis', findRedis],
  ['nginx', findNginx],
  ['Chromium', findChromium],
] as const) {
  const found = await find();
  process.stdout.write(`${name}: ${'missing' in found ? found.missing : 'installed'}\n`);
}
