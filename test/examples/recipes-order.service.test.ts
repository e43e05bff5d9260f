import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Logger, runOnce } from 'graphile-worker';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { untilItHolds } from '../postgres/support/replicas.js';
import { bundle } from '../run/bundle.js';
import { within } from '../waiting.js';

/** A worker's process that does a job and dies before the job counts as done. */
const program = `
  import { run } from 'graphile-worker';
  import { tasks } from './examples/recipes/order.js';
  const task = async (...args) => {
    await tasks.confirm_order(...args);
    process.send('done');
    await new Promise(() => {});
  };
  await run({ connectionString: process.env.DATABASE_URL, taskList: { confirm_order: task } });
`;

describe.skipIf(missingPostgres)('a send that joins the transaction of its order', () => {
  const postgres = usePostgres();
  let server: ReferenceServer;
  let recipe: typeof import('../../examples/recipes/order.js');
  let phones = 0;

  beforeAll(async () => {
    const { pool } = postgres().server;
    // A phone that occurs twice fails at the commit, after all statements.
    await pool.query(`create table orders (
      id bigint generated always as identity primary key,
      phone text not null unique deferrable initially deferred
    )`);
    server = createReferenceServer({ templates: [{ id: 'order_update', body: 'Hello {{1}}: {{2}}' }] });
    const { baseUrl } = await server.listen({ port: 0 });
    vi.stubEnv('DATABASE_URL', postgres().connectionString);
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', server.apiKey);
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', baseUrl);
    recipe = await import('../../examples/recipes/order.js');
    await recipe.migrate();
  });

  afterAll(async () => {
    await recipe?.close();
    await server?.close();
    vi.unstubAllEnvs();
  });

  const nextPhone = () => {
    phones += 1;
    return `+1555123456${phones}`;
  };

  /** Runs the jobs that are due, and gives what remains. */
  async function runJobs() {
    const { connectionString } = postgres();
    const logger = new Logger(() => () => {});
    await runOnce({ connectionString, taskList: recipe.tasks, logger, noHandleSignals: true });
    return jobs();
  }

  async function jobs(): Promise<readonly { key: string; attempts: number; last_error: string | null }[]> {
    const { pool } = postgres().server;
    const { rows } = await pool.query('select key, attempts, last_error from graphile_worker.jobs');
    return rows;
  }

  /** Runs the failed jobs once more, as time does. */
  async function runAgain() {
    const { pool } = postgres().server;
    await pool.query(
      'select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs), run_at := now())',
    );
    return runJobs();
  }

  /** Ends what a dead process held: its lease of the key after 30 seconds, its job after 4 hours. */
  async function passTheDeadProcess(): Promise<void> {
    const { pool } = postgres().server;
    await pool.query("delete from messaging_automation_keys where key like 'lease:%'");
    await pool.query(
      'select graphile_worker.force_unlock_workers(array(select locked_by from graphile_worker.jobs where locked_by is not null))',
    );
  }

  async function startWorker() {
    const child = spawn(process.execPath, [await bundle({ text: program })], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: process.env,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const end = once(child, 'close');
    const done = once(child, 'message');
    const kill = async () => {
      child.kill('SIGKILL');
      await within('the death of the worker', end);
    };
    return { done, kill };
  }

  /** How many messages and events of an order the service has. */
  async function carriedOut(phone: string, id: string): Promise<readonly [messages: number, events: number]> {
    const sends = (await server.journal.sends()).filter((send) => send.phone === phone);
    const events = await server.journal.events();
    return [sends.length, events.filter(({ properties }) => properties?.orderId === id).length];
  }

  test('is made once the transaction is committed', async () => {
    const phone = nextPhone();
    const id = await recipe.placeOrder(phone);
    expect(await carriedOut(phone, id)).toEqual([0, 0]);
    expect(await jobs()).toMatchObject([{ key: `order-${id}-placed` }]);
    expect(await runJobs()).toEqual([]);
    expect(await carriedOut(phone, id)).toEqual([1, 1]);
  });

  test('is not made if the transaction is rolled back: there are no job, no message and no second order', async () => {
    const phone = nextPhone();
    const id = await recipe.placeOrder(phone);
    await runJobs();
    await expect(recipe.placeOrder(phone)).rejects.toThrow('duplicate key');
    expect(await runJobs()).toEqual([]);
    expect(await carriedOut(phone, id)).toEqual([1, 1]);
    const { rows } = await postgres().server.pool.query('select id from orders where phone = $1', [phone]);
    expect(rows).toEqual([{ id }]);
  });

  test('is one message and one event, though its job runs three times', async () => {
    const phone = nextPhone();
    const id = await recipe.placeOrder(phone);
    for (let runs = 0; runs < 3; runs += 1) {
      expect(await runJobs()).toEqual([]);
      await postgres().server.pool.query("select graphile_worker.add_job('confirm_order', $1)", [{ id }]);
    }
    expect(await runJobs()).toEqual([]);
    expect(await carriedOut(phone, id)).toEqual([1, 1]);
  });

  test('is one message and one event, though its worker is killed before the job counts as done', async () => {
    const phone = nextPhone();
    const id = await recipe.placeOrder(phone);
    const worker = await startWorker();
    await within('the first run', worker.done);
    await worker.kill();
    await passTheDeadProcess();
    expect(await jobs()).toMatchObject([{ attempts: 1 }]);
    expect(await runJobs()).toEqual([]);
    expect(await carriedOut(phone, id)).toEqual([1, 1]);
  });

  test('waits for a person if its worker is killed in the middle of the request', async () => {
    const phone = nextPhone();
    const id = await recipe.placeOrder(phone);
    const { pool } = postgres().server;
    await server.faults.add({ operation: 'transactional.send', nth: 1, fault: { kind: 'stall' } });
    const worker = await startWorker();
    await within('the message', server.sends.waitFor({ contact: phone }, { timeout: '10s' }));
    await worker.kill();
    await passTheDeadProcess();

    const [failed] = await runJobs();
    expect(failed?.last_error).toContain('its outcome is unknown');
    expect(await recipe.messaging.transactional.unsettled()).toMatchObject([
      { idempotencyKey: `order-${id}-placed`, about: 'order_update' },
    ]);
    // Even the last run of a job can be followed by another one.
    await pool.query(
      'select graphile_worker.permanently_fail_jobs(array(select id from graphile_worker.jobs))',
    );
    expect(await runAgain()).toHaveLength(1);
    await recipe.settle('transactional', id, 'sent');
    await untilItHolds('the job is done', async () => (await runJobs()).length === 0);
    expect(await carriedOut(phone, id)).toEqual([1, 1]);
  });

  test.each([
    ['transactional', 'transactional.send', [0, 0]],
    ['events', 'events.track', [1, 0]],
  ] as const)(
    'of which the outcome in %s is unknown is made once a person has settled it as not sent',
    async (resource, operation, before) => {
      const phone = nextPhone();
      const id = await recipe.placeOrder(phone);
      await server.faults.add({ operation, nth: 1, fault: { kind: 'reset', when: 'before_commit' } });
      for (const _ of [1, 2]) expect(await runAgain()).toMatchObject([{ key: `order-${id}-placed` }]);
      expect(await carriedOut(phone, id)).toEqual(before);
      expect(await recipe.messaging[resource].unsettled()).toHaveLength(1);
      await recipe.settle(resource, id, 'not_sent');
      expect(await runJobs()).toEqual([]);
      expect(await carriedOut(phone, id)).toEqual([1, 1]);
    },
  );
});
