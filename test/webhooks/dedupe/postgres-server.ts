import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Pool, type PoolConfig } from 'pg';
import { freePort } from './free-port.js';
import { type InstalledPostgres, makePostgresFolder, type PostgresFolder } from './postgres-programs.js';

const run = promisify(execFile);

/** A PostgreSQL of its own, on the loopback, that is gone when it stops. */
export interface PostgresServer {
  readonly pool: Pool;
  stop(): Promise<void>;
}

/** Starts a server with an empty database. */
export async function startPostgres(installed: InstalledPostgres): Promise<PostgresServer> {
  const folder = await makePostgresFolder(installed);
  const removeFolder = () => rm(folder.path, { recursive: true, force: true });
  try {
    const connection = await initialise(folder);
    const server = await launch(folder, connection.port);
    const pool = new Pool({ ...connection, max: 20 });
    return {
      pool,
      async stop() {
        await endPool(pool);
        await server.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** Makes the database's files, and gives what a client connects with. */
async function initialise({ path, programs, user }: PostgresFolder) {
  const connection = {
    host: '127.0.0.1',
    port: await freePort(),
    user: 'postgres',
    password: randomUUID(),
    database: 'postgres',
  } satisfies PoolConfig;
  const passwordFile = join(path, 'password');
  await writeFile(passwordFile, connection.password, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  const initdb = join(programs, 'bin', 'initdb');
  // npm keeps the mode of files only where it may run a package's install script.
  if (user === undefined) await makeRunnable(programs);
  await run(
    initdb,
    [
      `--pgdata=${join(path, 'data')}`,
      `--pwfile=${passwordFile}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: path, ...user },
  );
  return connection;
}

async function makeRunnable(programs: string): Promise<void> {
  await Promise.all(['initdb', 'postgres'].map((name) => chmod(join(programs, 'bin', name), 0o755)));
}

async function launch({ path, programs, user }: PostgresFolder, port: number) {
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' };
  const server = spawn(
    join(programs, 'bin', 'postgres'),
    [
      ...['-D', join(path, 'data'), '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { cwd: path, stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  await untilReady(server);
  return {
    async stop() {
      const exit = once(server, 'exit');
      server.kill('SIGINT'); // its fast shutdown: it ends its sessions rather than wait for them
      await exit;
      process.off('exit', kill);
    },
  };
}

async function untilReady(server: ChildProcess): Promise<void> {
  if (server.stderr === null) throw new Error('PostgreSQL was started without its log.');
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    lines.push(line);
    if (!line.includes('database system is ready to accept connections')) continue;
    // Left unread, its log would one day fill the pipe.
    server.stderr.resume();
    return;
  }
  throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`);
}

/** `end` alone does not wait for the connections to close, and a server that stops tells those of its end as an error. */
async function endPool(pool: Pool): Promise<void> {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (open === 0) resolve();
    });
  });
  await pool.end();
  await closed;
}
