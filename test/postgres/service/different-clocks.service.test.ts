import type { WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { control } from '../../server/control-routes/support.js';
import { within } from '../../waiting.js';
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

  test.each([-90_000, 90_000])(
    'have one time, and what waits at either waits as long as it should: one clock is %d ms ahead',
    async (ahead) => {
      const seed: WorkspaceSeed = {
        contacts: [{ phone }],
        templates: [{ id: 'reminder', body: 'Still there?' }],
        journeys: [{ id: 'remind', event: 'cart_left', steps: [{ wait: '5s' }, { send: 'reminder' }] }],
      };
      const { one, two, schema } = await startService(postgres(), {
        ...seed,
        systemClocks: [clockAhead(ahead), clockAhead(0)],
        fetch: async () => new Response(null, { status: 500 }),
      });
      const other = two.workspace(seed);
      const begin = Date.now();
      for (const { client, simulate } of [one, other]) {
        await client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
        await client.events.track({ event: 'cart_left', phone });
        await simulate.inboundMessage({ phone, body: 'Hello' });
      }
      await within('the work that is due', Promise.all([one.settled(), two.settled()]));
      const { rows } = await postgres().server.pool.query<{ waits: string; due: number }>(
        `select case id when '${other.id}' then 'other' else 'first' end || ': ' || kind as waits, due_at as due from (
         select workspace, 'run' as kind, due_at from ${schema}.journey_runs
         union all select workspace, 'retry', due_at from ${schema}.deliveries) waiting
       join ${schema}.workspaces on number = workspace order by waits`,
      );

      const elapsed = Date.now() - begin;
      expect(rows.map(({ waits }) => waits)).toEqual([
        'first: retry',
        'first: run',
        'other: retry',
        'other: run',
      ]);
      for (const { waits, due } of rows) {
        const [least, most] = waits.endsWith('run') ? [5_000, 5_000] : [0, 15_000];
        expect(due - begin, waits).toBeGreaterThan(least - 1_000);
        expect(due - begin, waits).toBeLessThan(most + elapsed + 1_000);
      }
      for (const { clock } of [one, two, other])
        expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
    },
  );

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
    const other = two.workspace({ apiKey: 'other', clock: 'frozen', now: '2026-01-01T09:00:00Z' });
    await other.clock.advance('1h');
    expect(await health()).toContain('"clockAhead":0');
    set.ahead = 90_000;
    await untilItHolds('the replica uses the time of the database', async () => {
      return Math.abs(one.clock.now() - two.clock.now()) < 1_000;
    });

    const times = await Promise.all([one, two].map((server) => control(server, other)('GET', '/clock')));
    const same = { status: 200, body: { time: '2026-01-01T10:00:00.000Z' } };
    expect(times).toMatchObject([same, same]);
    expect(await health()).toMatch(/"clockAhead":90\d{3}|"clockAhead":89\d{3}/);
    expect(messages).toEqual([
      expect.stringMatching(
        /The clock of this machine is (90|89\.\d) s ahead of that of the database\. The replica uses the time of the database\./,
      ),
    ]);
  });
});
