import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { expect, onTestFinished } from 'vitest';
import { endPool, type PostgresServer } from '../../run/postgres-server.js';
import { untilItHolds } from './replicas.js';
import { serveReplica } from './served-replica.js';

/** A database, and a role that owns it, of one server that a test can do things to. */
export interface Victim {
  readonly url: URL;
  readonly server: PostgresServer;
  readonly database: string;
  readonly role: string;
  /** Runs statements as an administrator in another database. */
  readonly run: (...statements: readonly string[]) => Promise<void>;
  /** Runs statements as an administrator in the database. */
  readonly runInside: (...statements: readonly string[]) => Promise<void>;
  /** Cuts the connections of the role, so that the next request needs others. */
  readonly cut: () => Promise<void>;
}

/** What is done to a database, what a caller then gets, and what the operator reads. */
export interface DatabaseCase {
  readonly done: string;
  readonly harm: (victim: Victim) => Promise<void>;
  /** Default: what needs no undoing. */
  readonly undo?: (victim: Victim) => Promise<void>;
  /** 503 where waiting helps. */
  readonly status: 500 | 503;
  readonly code: string;
  readonly says: RegExp;
  /** What /health responds with. Default: `status`, if that is 503. */
  readonly health?: 200 | 503;
}

/** Creates a role with a database of its own. */
export async function createVictim(server: PostgresServer): Promise<Victim> {
  const name = `victim_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const run = async (...statements: readonly string[]) => {
    for (const statement of statements) await server.pool.query(statement);
  };
  await run(`create role ${name} login password 'first_password'`, `create database ${name} owner ${name}`);
  const url = Object.assign(new URL(server.url), {
    username: name,
    password: 'first_password',
    pathname: `/${name}`,
  });
  const runInside = async (...statements: readonly string[]) => {
    const pool = new Pool({
      connectionString: Object.assign(new URL(server.url), { pathname: `/${name}` }).href,
    });
    for (const statement of statements) await pool.query(statement);
    await endPool(pool);
  };
  const cut = () => run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`);
  return { server, database: name, role: name, run, runInside, cut, url };
}

/** Serves from a new database, does the harm, and checks what a caller gets and what the operator reads. */
export async function checkCase(server: PostgresServer, databaseCase: DatabaseCase): Promise<void> {
  const { harm, undo, status, code, says } = databaseCase;
  const health = databaseCase.health ?? 503;
  const victim = await createVictim(server);
  const { ask, terminal } = await serveReplica([
    ...['--store', victim.url.href, '--api-key', 'test_key', '--pool-size', '2'],
  ]);
  await ask('/api/v1/contacts', { phone: '+15551234567' });
  onTestFinished(() => undo?.(victim).catch(() => {}));
  await harm(victim);
  const entries = () => terminal.printed.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
  const told = () => entries().filter((entry) => entry.type === 'error' && entry.code === code);
  const create = () => ask('/api/v1/contacts', { phone: '+442071838750' });
  const isGone = code === '57P01';
  await untilItHolds(`the log has the cause ${code}`, async () => {
    // The replica may have connected again before a request met the connection that was cut.
    if (isGone) await harm(victim);
    return (await create()).status >= 500 && told().length > 0;
  });

  for (const refused of isGone ? [] : [await create(), await create()]) {
    expect(refused.status).toBe(status);
    expect(refused.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(JSON.stringify(refused.body)).not.toContain(code);
  }
  const shown = await ask('/health');
  expect(shown.status).toBe(health);
  expect(shown.body).toMatchObject(
    health === 200
      ? { status: 'ok' }
      : { status: 'unavailable', cause: { code, message: expect.any(String) } },
  );
  expect(JSON.stringify(shown.body)).not.toContain(victim.database);
  const [line] = told();
  // The replica reports each time that its connections are ended.
  if (!isGone) expect(told()).toHaveLength(1);
  expect(line?.message).toMatch(says);
  expect(line?.message).not.toMatch(/\n/);
  expect(terminal.output).not.toContain(victim.url.password);

  if (undo === undefined) return;
  await undo(victim);
  await untilItHolds('the server works again', async () => (await create()).status < 500);
}

/** Closes the database to what comes after, and ends what is connected. */
const closing =
  (...statements: readonly string[]) =>
  async ({ run, cut, role, database }: Victim) => {
    await run(...statements.map((each) => each.replaceAll(':role', role).replaceAll(':database', database)));
    await cut();
  };

const inside =
  (...statements: readonly string[]) =>
  ({ runInside, role }: Victim) =>
    runInside(...statements.map((each) => each.replaceAll(':role', role)));

/** Makes each new contact fail, as the database would in this state. */
const failing = (code: string, words: string) =>
  inside(
    `create function public.fail() returns trigger language plpgsql as $$ begin raise exception '${words}' using errcode = '${code}'; end $$`,
    'create trigger fail before insert on messaging_automation.contacts execute function public.fail()',
  );

/** Those that a commit must guard. */
export const commonCases: readonly DatabaseCase[] = [
  {
    done: 'the password of the role was changed',
    harm: closing("alter role :role password 'second'"),
    undo: closing("alter role :role password 'first_password'"),
    status: 503,
    code: '28P01',
    says: /rejects the role or its password .* Correct them in the URL/,
  },
  {
    done: 'the role has fewer rights',
    harm: inside(
      'alter table messaging_automation.contacts owner to postgres',
      'revoke all on messaging_automation.contacts from :role',
    ),
    status: 500,
    code: '42501',
    says: /too few rights .*permission denied for table contacts.* lists under Permissions/,
    health: 200,
  },
  {
    done: 'the database is read-only',
    harm: closing('alter database :database set default_transaction_read_only = on'),
    undo: closing('alter database :database reset default_transaction_read_only'),
    status: 503,
    code: '25006',
    says: /is read-only.*set default_transaction_read_only = off/,
  },
];

export const rareCases: readonly DatabaseCase[] = [
  {
    done: 'the role may not log in',
    harm: closing('alter role :role nologin'),
    undo: closing('alter role :role login'),
    status: 503,
    code: '28000',
    says: /may not log in .* ALTER ROLE … LOGIN/,
  },
  {
    done: 'the database was closed to connections',
    harm: closing('alter database :database allow_connections false'),
    undo: closing('alter database :database allow_connections true'),
    status: 503,
    code: '55000',
    says: /closed to connections .* ALLOW_CONNECTIONS true/,
  },
  {
    done: 'the role may not connect',
    harm: closing(
      'alter database :database owner to postgres',
      'revoke connect on database :database from public',
    ),
    undo: closing('grant connect on database :database to public'),
    status: 503,
    code: '42501',
    says: /may not connect to the database .* GRANT CONNECT/,
  },
  {
    done: 'the database was renamed',
    harm: async ({ run, cut, role, database }) => {
      await run(`alter role ${role} nologin`);
      for (let tries = 0; ; tries += 1) {
        await cut();
        try {
          await run(`alter database ${database} rename to ${database}_other`, `alter role ${role} login`);
          return;
        } catch (error) {
          if (tries === 100) throw error;
        }
      }
    },
    undo: ({ run, database }) => run(`alter database ${database}_other rename to ${database}`),
    status: 503,
    code: '3D000',
    says: /does not exist .*database "victim_\w+" does not exist/,
  },
  {
    done: 'the database was dropped',
    harm: ({ run, database }) => run(`drop database ${database} with (force)`),
    status: 503,
    code: '3D000',
    says: /does not exist .* Create it/,
  },
  {
    done: 'a limit of the role is reached',
    harm: closing('alter role :role connection limit 0'),
    undo: closing('alter role :role connection limit -1'),
    status: 503,
    code: '53300',
    says: /role has all connections that its limit allows .* CONNECTION LIMIT, or lower --pool-size/,
  },
  {
    done: 'a limit of the database is reached',
    harm: closing('alter database :database connection limit 0'),
    undo: closing('alter database :database connection limit -1'),
    status: 503,
    code: '53300',
    says: /database has all connections that its limit allows/,
  },
  {
    done: 'a table was dropped',
    harm: inside('drop table messaging_automation.contacts cascade'),
    status: 500,
    code: '42P01',
    says: /lacks the tables of the store.*Run messaging-automation migrate/,
    health: 200,
  },
  {
    done: 'a schema was renamed',
    harm: inside('alter schema messaging_automation rename to elsewhere'),
    status: 500,
    code: '42P01',
    says: /lacks the tables of the store/,
    health: 503,
  },
  {
    done: 'the disk is full',
    harm: failing('53100', 'could not extend file "base/1/2": No space left on device'),
    status: 503,
    code: '53100',
    says: /disk of the database is full .*No space left.* Free space/,
    health: 200,
  },
  {
    done: 'the memory is full',
    harm: failing('53200', 'out of memory'),
    status: 503,
    code: '53200',
    says: /no memory left/,
    health: 200,
  },
  {
    done: 'there is no room for locks',
    harm: failing('53200', 'out of shared memory'),
    status: 503,
    code: '53200',
    says: /max_locks_per_transaction/,
    health: 200,
  },
  {
    done: 'a file cannot be written',
    harm: failing('58030', 'could not write block'),
    status: 503,
    code: '58030',
    says: /cannot read or write its files/,
    health: 200,
  },
  {
    done: 'a file is damaged',
    harm: failing('XX001', 'invalid page in block 1'),
    status: 500,
    code: 'XX001',
    says: /damaged .* Restore a backup/,
    health: 200,
  },
  {
    done: 'statements take too long',
    harm: failing('57014', 'canceling statement due to statement timeout'),
    status: 503,
    code: '57014',
    says: /longer than statement_timeout/,
    health: 200,
  },
  {
    done: 'an administrator cancels statements',
    harm: failing('57014', 'canceling statement due to user request'),
    status: 503,
    code: '57014',
    says: /administrator cancelled/,
    health: 200,
  },
  {
    done: 'locks are waited for too long',
    harm: failing('55P03', 'canceling statement due to lock timeout'),
    status: 503,
    code: '55P03',
    says: /lock_timeout/,
    health: 200,
  },
  {
    done: 'a transaction is idle for too long',
    harm: failing('25P03', 'terminating connection due to idle-in-transaction timeout'),
    status: 503,
    code: '25P03',
    says: /idle_in_transaction_session_timeout/,
    health: 200,
  },
  {
    done: 'a constraint was added',
    harm: inside('alter table messaging_automation.contacts add constraint none check (false) not valid'),
    status: 500,
    code: '23514',
    says: /does not take what is written to the tables of the store \(23514\)\. Run/,
    health: 200,
  },
  {
    done: 'a column was dropped',
    harm: inside('alter table messaging_automation.contacts drop column phone cascade'),
    status: 500,
    code: '42703',
    says: /\(42703: column .*phone.*does not exist\)/,
    health: 200,
  },
  {
    done: 'an administrator ends the connections',
    harm: ({ cut }) => cut(),
    status: 503,
    code: '57P01',
    says: /administrator ended the connection.* connects again/,
    health: 200,
  },
];
