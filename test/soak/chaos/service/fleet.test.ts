import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres } from '../../../run/postgres-programs.js';
import { type PostgresServer, startPostgres } from '../../../run/postgres-server.js';
import { Fleet } from './fleet.js';
import { applicationName, Replica } from './replica.js';

const found = await findPostgres();

describe.skipIf('missing' in found)('what is done to the database', () => {
  let database: PostgresServer;
  let replicas: readonly Replica[];
  let fleet: Fleet;

  beforeAll(async () => {
    if ('missing' in found) return;
    database = await startPostgres(found);
    const replica = await Replica.create({
      number: 0,
      apiKey: 'key',
      storeUrl: database.url,
      logFile: '/dev/null',
      onUnexpectedEnd: () => {},
    });
    replicas = [replica];
    fleet = new Fleet(replicas, database);
  });

  afterAll(() => database?.stop());

  /** A session such as a replica has. */
  async function connect(name: string): Promise<{ readonly client: Client; readonly ended: Promise<void> }> {
    const client = new Client({ connectionString: database.url, application_name: name });
    await client.connect();
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('error', () => {});
    return { client, ended };
  }

  test('the sessions of one replica are cut, and those of others stay', async () => {
    const [own, other] = [await connect(applicationName(0)), await connect(applicationName(1))];

    await fleet.disrupt({ at: 0, kind: 'cut connections', replica: 0 });

    await own.ended;
    await expect(other.client.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
    await other.client.end();
    expect(fleet.problems).toEqual([]);
  });

  test('the database is restarted at once: all sessions end, what was committed is there', async () => {
    await database.pool.query('create table kept (word text)');
    await database.pool.query("insert into kept values ('here')");
    const { ended } = await connect(applicationName(0));

    await fleet.disrupt({ at: 0, kind: 'restart database', downFor: 0 });

    await ended;
    const { rows } = await database.pool.query('select word from kept');
    expect(rows).toEqual([{ word: 'here' }]);
    expect(fleet.problems).toEqual([]);
    expect(fleet.incidents.map(({ kind, replica }) => [kind, replica])).toEqual([
      ['cut connections', 0],
      ['restart database', undefined],
    ]);
  });

  test('the sessions of a replica that has not connected yet are cut when it has', async () => {
    const cut = fleet.disrupt({ at: 0, kind: 'cut connections', replica: 0 });
    const { ended } = await connect(applicationName(0));

    await cut;
    await ended;
    expect(fleet.problems).toEqual([]);
  });

  test('a disruption that does not come about is told', async () => {
    const impatient = new Fleet(replicas, database, 0);
    await impatient.disrupt({ at: 0, kind: 'cut connections', replica: 0 });

    expect(impatient.problems).toEqual(['cut connections: replica 1 has no session that could be cut']);
  });
});
