import { postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer } from 'messaging-automation/server';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, usePostgres } from '../support/database.js';

describe.skipIf(missingPostgres)('a statement whose answer is lost', () => {
  const postgres = usePostgres();

  test('leaves each entry in the journal once', async () => {
    const { connectionString, freshSchema } = postgres();
    const pool = new Pool({ connectionString, max: 20 });
    onTestFinished(() => pool.end());
    const answers = losingAnswers(pool, /insert into \S+\.journal\b/);
    const server = createReferenceServer({
      store: postgresStore({ pool, schema: await freshSchema() }),
      clock: 'frozen',
    });
    onTestFinished(() => server.close());

    const phones = ['+15551230001', '+15551230002', '+15551230003'];
    for (const [index, phone] of phones.entries()) {
      if (index === 1) answers.loseNext();
      await server.simulate.inboundMessage({ phone, body: 'Hello' });
      await server.settled();
    }
    expect(answers.lost).toBe(1);
    const entries = await server.journal.entries();
    expect(entries.flatMap((entry) => (entry.type === 'message' ? entry.phone : []))).toEqual(phones);
  });
});

/** The connections of the pool work, and lose the answer of the next statement that matches. */
function losingAnswers(pool: Pool, statement: RegExp) {
  let losesNext = false;
  const answers = {
    lost: 0,
    loseNext() {
      losesNext = true;
    },
  };
  pool.on('connect', (client) => {
    const { query } = client;
    Reflect.set(client, 'query', (...given: readonly unknown[]): unknown => {
      const answer: unknown = Reflect.apply(query, client, given);
      if (!losesNext || !statement.test(String(Reflect.get(Object(given[0]), 'text')))) return answer;
      losesNext = false;
      answers.lost += 1;
      return Promise.resolve(answer).then(() => {
        throw Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' });
      });
    });
  });
  return answers;
}
