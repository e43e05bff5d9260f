import { describe, expect, test } from 'vitest';
import { control } from '../../server/control-routes/support.js';
import { askWith } from '../../server/support/reference.js';
import { within } from '../../waiting.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { failing, firstKey, startService, statusFor } from '../support/replicas-of-a-service.js';

const frozen = { clock: 'frozen', now: '2026-01-01T09:00:00.000Z' } as const;

describe.skipIf(missingPostgres)('a change that the database stops', () => {
  const postgres = usePostgres();

  test('of the records gets 503 and Retry-After', async () => {
    const { one, run } = await startService(postgres());
    await run(failing('contacts', 'insert', '57014'));
    const response = await askWith(one)('POST', '/v1/contacts', { phone: '+15550000001' });

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(response.body).toMatchObject({ error: { code: 'service_unavailable' } });
  });

  test('of the settings gets 503, and no replica has it', async () => {
    const { one, two, run } = await startService(postgres());
    await run(failing('workspaces', 'update', '57014', 'new.settings::text <> old.settings::text'));
    const rule = { operation: 'templates.list', fault: { kind: 'status', status: 500 } };
    const ask = askWith(one);
    const added = await ask('POST', '/../control/faults', rule);
    const changed = await ask('PUT', '/../control/spec-gaps', { unauthorizedStatus: 403 });
    await run('drop trigger failing on :schema.workspaces');

    expect([added.status, changed.status]).toEqual([503, 503]);
    expect(await statusFor(one, firstKey)).toBe(200);
    for (const server of [one, two]) {
      expect((await control(server)('GET', '/faults')).body).toEqual({ data: [] });
      const { body } = await control(server)('GET', '/spec-gaps');
      expect(body).toMatchObject({ unauthorizedStatus: 401 });
    }
    expect((await control(one)('POST', '/faults', rule)).status).toBe(201);
    expect(await statusFor(two, firstKey)).toBe(500);
  });

  test('of the settings in process rejects the call, and no request or workspace of others', async () => {
    const { one, two, run } = await startService(postgres());
    const [beside, other] = [one.workspace(), two.workspace()];
    await Promise.all([beside.settled(), other.settled()]);
    const ofFirst = `new.id = '${one.id}' and new.settings::text <> old.settings::text`;
    await run(failing('workspaces', 'update', '57014', ofFirst));
    const rule = { operation: 'contacts.find', fault: { kind: 'stall' } } as const;
    await expect(one.faults.add(rule)).rejects.toMatchObject({ name: 'StoreBusyError' });
    await expect(one.specGaps.set({ errorBody: 'text' })).rejects.toMatchObject({ name: 'StoreBusyError' });
    for (const { faults } of [beside, other]) await faults.add(rule);
    expect(await statusFor(one, firstKey)).toBe(200);
    expect((await control(one)('POST', '/clock/advance', { by: '1s' })).status).toBe(200);

    for (const workspace of [beside, other]) {
      await within('a workspace that nothing concerns', workspace.settled());
      expect(await statusFor(one, workspace.apiKey)).toBe(200);
      for (const server of [one, two]) {
        expect((await control(server, workspace)('GET', '/faults')).body).toMatchObject({ data: [{ rule }] });
      }
    }
    await one.settled();
    expect([await one.faults.list(), await two.faults.list()]).toEqual([[], []]);
  });

  test('of the clock gets 503, and no replica has moved', async () => {
    const { one, two, run } = await startService(postgres(), frozen);
    await run(failing('workspaces', 'update', '40001', 'new.clock_position <> old.clock_position'));
    const advanced = await askWith(one)('POST', '/../control/clock/advance', { by: '1h' });
    await run('drop trigger failing on :schema.workspaces');

    expect(advanced.status).toBe(503);
    for (const server of [one, two]) {
      expect((await control(server)('GET', '/clock')).body).toMatchObject({ time: frozen.now });
    }
    await two.clock.advance('2h');
    expect((await control(one)('GET', '/clock')).body).toMatchObject({ time: '2026-01-01T11:00:00.000Z' });
  });

  test('of the clock puts the clock back without another request', async () => {
    const { one, run } = await startService(postgres(), frozen);
    await run(failing('workspaces', 'update', '40001', 'new.clock_position <> old.clock_position'));
    await expect(one.clock.advance('1h')).rejects.toMatchObject({ name: 'StoreBusyError' });
    await run('drop trigger failing on :schema.workspaces');

    await expect.poll(() => new Date(one.clock.now()).toISOString()).toBe(frozen.now);
  });

  test('of a key leaves the key that it replaces valid', async () => {
    const { one, two, run } = await startService(postgres());
    const second = await one.keys.issue();
    await run(failing('revoked_keys', 'insert', '57014'));
    await expect(one.keys.rotate(second)).rejects.toMatchObject({ name: 'StoreBusyError' });
    expect(await statusFor(two, second)).toBe(200);
    await run('drop trigger failing on :schema.revoked_keys');

    const third = await two.keys.rotate(second);
    expect([await statusFor(one, second), await statusFor(one, third)]).toEqual([401, 200]);
    await expect(one.keys.rotate(second)).rejects.toThrow('does not belong to this workspace');
  });
});

describe.skipIf(missingPostgres)('an entry of the journal that the database does not take', () => {
  const postgres = usePostgres();

  test('is written when it does, without another request', async () => {
    const { one, two, run } = await startService(postgres());
    await run(failing('journal', 'insert', '57014'));
    expect(await statusFor(one, firstKey)).toBe(200);
    expect(await two.journal.entries()).toEqual([]);
    await run('drop trigger failing on :schema.journal');

    await expect.poll(() => two.journal.entries(), { timeout: 20_000 }).toHaveLength(1);
  });

  test('does not hold up the entries after it', async () => {
    const logged: string[] = [];
    const { one, two, run } = await startService(postgres(), {
      log: (entry) => {
        if (entry.type === 'error') logged.push(entry.message);
      },
    });
    await run(failing('journal', 'insert', 'P0001', "new.entry::text like '%contacts.upsert%'"));
    await one.client.contacts.upsert({ phone: '+15550000001' });
    await one.settled();
    expect(await statusFor(one, firstKey)).toBe(200);

    expect(await two.journal.entries()).toMatchObject([{ type: 'request', operation: 'templates.list' }]);
    expect(logged).toContainEqual(expect.stringContaining('an error of the test'));
  });

  test('and that it has lost in a crash, does not hide the entry that has its number afterwards', async () => {
    const { one, two, run, cutListeners } = await startService(postgres());
    const headers = { Authorization: `Bearer ${firstKey}` };
    const following = new AbortController();
    const stream = await two.fetch(
      new Request('http://localhost/control/stream', { headers, signal: following.signal }),
    );
    const streamed = readUntil(stream, /"phone":"\+15550000009"/);
    for (const body of ['1', '2', '3']) await one.simulate.inboundMessage({ phone: '+15550000001', body });
    await one.settled();
    expect(await two.journal.entries()).toHaveLength(3);
    await run('delete from :schema.journal where number > 1; update :schema.journals set latest = 1');
    await cutListeners();
    await one.simulate.inboundMessage({ phone: '+15550000009', body: 'Hello' });
    await one.settled();

    const numbers = () =>
      two.journal.find('message').then((entries) => entries.map(({ phone }) => phone.slice(-1)));
    await expect.poll(numbers, { timeout: 20_000 }).toEqual(['1', '9']);
    expect(await one.journal.entries()).toEqual(await two.journal.entries());
    expect(await streamed).toContain('event: cleared');
    following.abort();
  });

  test('is written before its server closes', async () => {
    const { one, two } = await startService(postgres());
    await one.client.templates.list();
    await one.close();

    expect(await two.journal.entries()).toHaveLength(1);
  });
});

async function readUntil({ body }: Response, pattern: RegExp): Promise<string> {
  if (body === null) throw new Error('The stream has no body.');
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (pattern.test(text)) break;
  }
  return text;
}
