import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { StoreBusyError, StoreUnavailableError } from '../../../src/server/model/service-error.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';

describe.skipIf(missingPostgres)('an error of the database that another try may not have', () => {
  const postgres = usePostgres();

  async function openOne(schema: string) {
    const { connectionString } = postgres();
    const database = new Database({ connectionString, poolSize: 1, schema });
    onTestFinished(() => database.close());
    await database.query('create schema :schema');
    await database.query('create sequence :schema.tries');
    // The number of a sequence stays, also when its transaction is undone.
    await database.query(`
create function :schema.fail(code text) returns void language plpgsql as $$
begin
  perform nextval('${schema}.tries');
  raise exception 'an error of the test' using errcode = code;
end
$$`);
    const numberIn = async (text: string) => Object((await database.query(text))[0]).number;
    return {
      database,
      process: () => numberIn('select pg_backend_pid() as number'),
      tries: () => numberIn('select last_value::int as number from :schema.tries'),
      fail: (code: string): Promise<unknown> =>
        database.query('select :schema.fail($1)', [code]).catch((error: unknown) => error),
    };
  }

  test.each(['57014', '55P03', '53100', '53200', '53400', '58030'])(
    '%s is a busy database, and its connection stays',
    async (code) => {
      const { process, tries, fail } = await openOne(`busy_${code.toLowerCase()}`);
      const before = await process();
      const error = await fail(code);

      expect(error).toBeInstanceOf(StoreBusyError);
      expect(error).toMatchObject({ code: 'service_unavailable', cause: { code } });
      expect([await process(), await tries()]).toEqual([before, 1]);
    },
  );

  test.each(['40P01', '40001'])('%s is a busy database after five tries', async (code) => {
    const { tries, fail } = await openOne(`repeated_${code.toLowerCase()}`);

    expect(await fail(code)).toBeInstanceOf(StoreBusyError);
    expect(await tries()).toBe(5);
  });

  test.each(['25006', '25P03', '25P04', '53300', '57P01', '57P02', '57P03', '57P05', '08006', '08P01'])(
    '%s is a lost connection, and the next statement has another one',
    async (code) => {
      const { process, fail } = await openOne(`lost_${code.toLowerCase()}`);
      const before = await process();
      const error = await fail(code);

      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).not.toBeInstanceOf(StoreBusyError);
      expect(await process()).not.toBe(before);
    },
  );

  test.each(['22P02', '23503', '42P01', '42501'])('%s is refused', async (code) => {
    const { fail } = await openOne(`refused_${code.toLowerCase()}`);

    expect(await fail(code)).toMatchObject({ name: 'StoreRefusedError', reason: { code }, cause: { code } });
  });

  test.each(['P0001', 'XX000'])('%s is none', async (code) => {
    const { fail } = await openOne(`own_${code.toLowerCase()}`);

    expect(await fail(code)).toMatchObject({ code, message: 'an error of the test' });
  });

  test('a transaction that waits for too long has lost its connection', async () => {
    const { database, process } = await openOne('idle');
    const { pool } = postgres().server;
    const idle = database.transaction(async (transaction) => {
      await transaction.query("set local idle_in_transaction_session_timeout = '10ms'");
      const [row] = await transaction.query('select pg_backend_pid() as number');
      const isAlive = () =>
        pool
          .query('select from pg_stat_activity where pid = $1', [Object(row).number])
          .then(({ rows }) => rows);
      await untilItHolds('the session has ended', async () => (await isAlive()).length === 0);
      await transaction.query('select 1');
    });

    await expect(idle).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(await process()).toBeTypeOf('number');
  });

  test('a prepared statement whose table was changed works again with the next connection', async () => {
    const { database } = await openOne('changed');
    await database.query('create table :schema.numbers as select 1 as one');
    const read = () => database.query('select * from :schema.numbers', [], 'numbers');
    expect(await read()).toEqual([{ one: 1 }]);
    await database.query('alter table :schema.numbers add column two int');

    await expect(read()).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(await read()).toEqual([{ one: 1, two: null }]);
  });
});
