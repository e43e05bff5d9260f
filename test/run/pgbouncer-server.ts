import { spawn } from 'node:child_process';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './debian.js';
import { freePort } from './free-port.js';
import { type StoppableServer, startStoppable, untilReady } from './stoppable-server.js';

/** The program, as Debian has it. */
export const findPgbouncer = () => findProgram('pgbouncer', '/usr/sbin/pgbouncer');

/** Starts a PgBouncer on the loopback before the PostgreSQL with this URL, by its defaults and at most one other setting. */
export async function startPgbouncer(
  program: string,
  database: string,
  mode: 'session' | 'transaction' | 'statement',
  setting = '',
): Promise<StoppableServer & { readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const { hostname, port, username, password, pathname } = new URL(database);
  const own = await freePort();
  const configuration = join(folder, 'pgbouncer.ini');
  await writeFile(
    configuration,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${setting}
`,
  );
  // It refuses to run as root, and reads its configuration as the other user.
  await chmod(folder, 0o755);
  const words = process.getuid?.() === 0 ? ['-u', 'nobody', configuration] : [configuration];
  const launch = async () => {
    const server = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    await untilReady('PgBouncer', server.stderr, 'process up');
    return server;
  };
  const server = await startStoppable({ launch, stopSignal: 'SIGTERM', folder });
  return { ...server, url: `postgres://anyone@127.0.0.1:${own}${pathname}` };
}
