import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';

describe.skipIf(missingPostgres)('a statement whose response is lost', () => {
  const postgres = usePostgres();

  test('leaves each entry in the journal once', async () => {
    const { connectionString, freshSchema } = postgres();
    const pool = new Pool({ connectionString, max: 20 });
    onTestFinished(() => pool.end());
    const responses = losingResponses(pool, /insert into \S+\.journal\b/);
    const server = createReferenceServer({
      store: postgresStore({ pool, schema: await freshSchema() }),
      clock: 'frozen',
    });
    onTestFinished(() => server.close());

    const phones = ['+15551230001', '+15551230002', '+15551230003'];
    for (const [index, phone] of phones.entries()) {
      if (index === 1) responses.loseNext();
      await server.simulate.inboundMessage({ phone, body: 'Hello' });
      await server.settled();
    }
    expect(responses.lost).toBe(1);
    const entries = await server.journal.entries();
    expect(entries.flatMap((entry) => (entry.type === 'message' ? entry.phone : []))).toEqual(phones);
  });
});

/** The connections of the pool work, and lose the response of the next statement that matches. */
function losingResponses(pool: Pool, statement: RegExp) {
  let losesNext = false;
  const responses = {
    lost: 0,
    loseNext() {
      losesNext = true;
    },
  };
  pool.on('connect', (client) => {
    const { query } = client;
    Reflect.set(client, 'query', (...given: readonly unknown[]): unknown => {
      const response: unknown = Reflect.apply(query, client, given);
      if (!losesNext || !statement.test(String(Reflect.get(Object(given[0]), 'text')))) return response;
      losesNext = false;
      responses.lost += 1;
      return Promise.resolve(response).then(() => {
        throw Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' });
      });
    });
  });
  return responses;
}
