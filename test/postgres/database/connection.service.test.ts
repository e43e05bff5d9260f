import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { StoreUnavailableError } from '../../../src/server/model/service-error.js';
import { missingPostgres, usePostgres } from '../support/database.js';

describe.skipIf(missingPostgres)('a database', () => {
  const postgres = usePostgres();

  function open(schema: string): Database {
    const database = new Database({ connectionString: postgres().connectionString, schema });
    onTestFinished(() => database.close());
    return database;
  }

  test('is asked by statements that name the schema, prepared or not, however the schema is called', async () => {
    const database = open('It\'s a "schema"');
    await database.query('create schema :schema');
    await database.query('create table :schema.numbers (number int)');
    await database.query('insert into :schema.numbers values ($1)', [1]);
    for (let i = 0; i < 3; i += 1) {
      expect(await database.query('select number from :schema.numbers', [], 'numbers')).toEqual([
        { number: 1 },
      ]);
    }
  });

  test('keeps statements of one name apart where two schemas share a pool', async () => {
    const pool = new Pool({ connectionString: postgres().connectionString, max: 1 });
    const [one, two] = ['one', 'two'].map((schema) => new Database({ pool, schema }));
    for (const [index, database] of [one, two].entries()) {
      await database?.query('create schema :schema');
      await database?.query(`create table :schema.numbers as select ${index}::int as number`);
    }
    const read = 'select number from :schema.numbers';
    expect(await one?.query(read, [], 'read')).toEqual([{ number: 0 }]);
    expect(await two?.query(read, [], 'read')).toEqual([{ number: 1 }]);
    await one?.close();
    // A pool that was given stays open.
    expect(await two?.query(read, [], 'read')).toEqual([{ number: 1 }]);
    await pool.end();
  });

  test('undoes a transaction that fails, and leaves other errors as they are', async () => {
    const database = open('undone');
    await database.query('create schema :schema');
    await database.query('create table :schema.numbers (number int primary key)');
    await expect(
      database.transaction(async (transaction) => {
        await transaction.query('insert into :schema.numbers values (1)');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await database.query('insert into :schema.numbers values (1)');
    await expect(database.query('insert into :schema.numbers values (1)')).rejects.toMatchObject({
      name: 'StoreRefusedError',
      cause: { code: '23505' },
    });
    await expect(database.query('select nonsense')).rejects.not.toBeInstanceOf(StoreUnavailableError);
  });

  test('repeats a transaction that another one deadlocks', async () => {
    const database = open('deadlocked');
    await database.query('create schema :schema');
    await database.query(
      'create table :schema.numbers as select number, 0 as times from generate_series(1, 2) number',
    );
    const touch = 'update :schema.numbers set times = times + 1 where number = $1';
    const reached: (() => void)[] = [];
    const bothHoldOne = Array.from(
      { length: 2 },
      () => new Promise<void>((resolve) => reached.push(resolve)),
    );
    let tries = 0;
    const both = [
      [1, 2],
      [2, 1],
    ].map(([first, second], index) =>
      database.transaction(async (transaction) => {
        tries += 1;
        await transaction.query(touch, [first]);
        reached[index]?.();
        await Promise.all(bothHoldOne);
        await transaction.query(touch, [second]);
      }),
    );
    await Promise.all(both);
    expect(tries).toBeGreaterThan(2);
    expect(await database.query('select times from :schema.numbers')).toEqual([{ times: 2 }, { times: 2 }]);
  });

  test('is out of reach when its connection is cut, and back with the next', async () => {
    const { connectionString, server } = postgres();
    const database = new Database({ connectionString, poolSize: 1, schema: 'cut' });
    const pid = async () => {
      const [row] = await database.query('select pg_backend_pid() as pid');
      return Object(row).pid;
    };
    const before = await pid();
    const waiting = database.query('select pg_sleep(60)');
    const cut = expect(waiting).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: expect.stringContaining('cannot reach its database'),
    });
    await server.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where pid = $1`, [
      before,
    ]);
    await cut;
    expect(await pid()).not.toBe(before);
    // An idle connection that is cut ends nothing.
    const idle = await pid();
    await server.pool.query('select pg_terminate_backend($1)', [idle]);
    await expect.poll(() => pid().catch(() => idle)).not.toBe(idle);
    await database.close();
    await expect(database.query('select 1')).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});
