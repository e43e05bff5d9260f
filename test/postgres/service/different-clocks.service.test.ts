import { describe, expect, test } from 'vitest';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { firstKey, startService } from '../support/replicas-of-a-service.js';

const phone = '+15551234567';

/** The clock of a machine that is so many milliseconds ahead. */
function clockAhead(milliseconds: number) {
  const clock = { ...machineClock, ahead: milliseconds, now: () => Date.now() + clock.ahead };
  return clock;
}

describe.skipIf(missingPostgres)('replicas on machines whose clocks differ', () => {
  const postgres = usePostgres();

  test('have one time, and let what waits at either wait as long as it should', async () => {
    const { one, two, schema } = await startService(postgres(), {
      systemClocks: [clockAhead(-90_000), clockAhead(90_000)],
      fetch: async () => new Response(null, { status: 500 }),
      contacts: [{ phone }],
      templates: [{ id: 'reminder', body: 'Still there?' }],
      journeys: [{ id: 'remind', event: 'cart_left', steps: [{ wait: '5s' }, { send: 'reminder' }] }],
    });
    await one.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
    const begin = Date.now();
    for (const server of [one, two]) {
      await server.client.events.track({ event: 'cart_left', phone });
      await server.simulate.inboundMessage({ phone, body: 'Hello' });
    }
    await Promise.all([one.settled(), two.settled()]);
    const { rows } = await postgres().server.pool.query<{ kind: string; due: number }>(
      `select 'run' as kind, due_at as due from ${schema}.journey_runs
       union all select 'retry', due_at from ${schema}.deliveries`,
    );

    const elapsed = Date.now() - begin;
    const waits = rows.map(({ kind, due }) => [kind, due - begin] as const);
    expect(waits.map(([kind]) => kind).sort()).toEqual(['retry', 'retry', 'run', 'run']);
    for (const [kind, wait] of waits) {
      const [least, most] = kind === 'run' ? [5_000, 5_000] : [0, 15_000];
      expect(wait).toBeGreaterThan(least - 1_000);
      expect(wait).toBeLessThan(most + elapsed + 1_000);
    }
    for (const server of [one, two]) expect(Math.abs(server.clock.now() - Date.now())).toBeLessThan(1_000);
  });

  test('keep that time when one of the clocks is set, and say so', async () => {
    const set = clockAhead(0);
    const messages: string[] = [];
    const { one, two } = await startService(postgres(), {
      systemClocks: [set, clockAhead(0)],
      lease: '200ms',
      log: (entry) => entry.type === 'error' && messages.push(entry.message),
    });
    const health = async () => {
      const headers = { Authorization: `Bearer ${firstKey}` };
      const response = await one.fetch(new Request('http://localhost/health', { headers }));
      return JSON.stringify(await response.json());
    };
    expect(await health()).toContain('"clockAhead":0');
    set.ahead = 90_000;
    await untilItHolds('the replica uses the time of the database', async () => {
      return Math.abs(one.clock.now() - two.clock.now()) < 1_000;
    });

    expect(await health()).toMatch(/"clockAhead":90\d{3}|"clockAhead":89\d{3}/);
    expect(messages).toEqual([
      expect.stringMatching(
        /The clock of this machine is (90|89\.\d) s ahead of that of the database\. The replica uses the time of the database\./,
      ),
    ]);
  });
});
