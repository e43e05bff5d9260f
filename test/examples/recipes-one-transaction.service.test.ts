import { signTestDelivery } from 'messaging-automation/webhooks';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveRequests } from '../cli/http-servers.js';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';

const secret = 'whsec_example';

describe.skipIf(missingPostgres)('a row and its delivery in one transaction', () => {
  const postgres = usePostgres();

  afterEach(() => vi.unstubAllEnvs());

  /** The recipe as in a process of its own, with a dedupe store that no other process shares. */
  async function startProcess() {
    vi.resetModules();
    vi.stubEnv('WEBHOOK_SECRET', secret);
    vi.stubEnv('DATABASE_URL', postgres().connectionString);
    const { handler, close } = await import('../../examples/recipes/one-transaction.js');
    onTestFinished(close);
    return serveRequests(handler);
  }

  const post = async (url: string, { body, headers }: ReturnType<typeof signTestDelivery>) =>
    (await fetch(url, { method: 'POST', body, headers })).status;

  test('is written once, whichever process handles it, and not at all if the handler fails', async () => {
    const { pool } = postgres().server;
    await pool.query(
      'create table tickets (delivery text primary key, contact text not null, body text not null)',
    );
    const delivery = signTestDelivery({ secret, data: { messageId: 'message_1', body: 'Help' } });
    const other = signTestDelivery({ secret, data: { messageId: 'message_2', body: 'Hello' } });

    // The first process dies after its commit, before its response: another one gets the retry.
    expect(await post(await startProcess(), delivery)).toBe(204);
    const url = await startProcess();
    expect(await post(url, delivery)).toBe(204);
    const bodies = async () => (await pool.query('select body from tickets order by body')).rows;
    expect(await bodies()).toEqual([{ body: 'Help' }]);

    vi.spyOn(console, 'error').mockReturnValue();
    await pool.query("alter table tickets add check (body <> 'Hello')");
    expect(await post(url, other)).toBe(500);
    expect(await bodies()).toHaveLength(1);
    await pool.query('alter table tickets drop constraint tickets_body_check');
    expect(await post(url, other)).toBe(204);
    expect(await bodies()).toEqual([{ body: 'Hello' }, { body: 'Help' }]);
  });
});
