import { describe, expect, test } from 'vitest';
import { runAt, runCommand, type Served, serve, temporaryFile } from './served.js';

const phone = '+15551234567';

const seed = JSON.stringify({
  clock: 'frozen',
  now: '2026-01-01T09:00:00Z',
  quota: 2,
  templates: [{ id: 'order_update', body: 'Hello {{1}}' }],
  contacts: [{ phone }],
  journeys: [
    {
      id: 'welcome',
      event: 'signed_up',
      steps: [{ wait: '1d' }, { send: 'order_update', variables: { 1: 'Ada' } }],
    },
  ],
});

const start = async () => serve('--seed', await temporaryFile('seed.json', seed));

const listed = async ({ ask }: Served, path: string) => (await (await ask(path)).json()).data;

describe('quota', () => {
  test('prints what remains, and sets either part of it', async () => {
    const { url } = await start();
    const left = (plan: number, credits: number) => ({
      exitCode: 0,
      lines: [`${plan} conversations of the plan and ${credits} add-on credits remain.`],
      complaints: '',
    });
    expect(await runAt(url, 'quota')).toEqual(left(2, 0));
    expect(await runAt(url, 'quota', '--add-on-credits', '5')).toEqual(left(2, 5));
    expect(await runAt(url, 'quota', '0')).toEqual(left(0, 5));
    expect(await runAt(url, 'quota', '7', '--add-on-credits', '0')).toEqual(left(7, 0));
    const { lines } = await runAt(url, 'quota', '--json');
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ quota: 7, addOnCredits: 0 }]);
  });

  test.each(['-1', '1.5', 'many', '', '9'.repeat(16)])(
    'refuses the number %j before it asks',
    async (number) => {
      const { url, ask } = await start();
      const { exitCode } = await runCommand(['quota', '--url', url, '--', number]);
      expect(exitCode).toBe(2);
      expect(await (await ask('/control/quota')).json()).toEqual({ quota: 2, addOnCredits: 0 });
    },
  );
});

describe('template', () => {
  const approved = 'order_update  approved  "Hello {{1}}"';

  test('prints the templates, or one of them', async () => {
    const { url } = await start();
    expect(await runAt(url, 'template')).toEqual({ exitCode: 0, lines: [approved], complaints: '' });
    expect(await runAt(url, 'template', 'order_update')).toMatchObject({ lines: [approved] });
    const { lines } = await runAt(url, 'template', '--json');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 'order_update', status: 'approved' }]);
  });

  test('pauses a template, so that the next send of it is refused, and approves it again', async () => {
    const { url } = await start();
    const paused = await runAt(url, 'template', 'order_update', 'paused');
    expect(paused).toMatchObject({ exitCode: 0, lines: ['order_update  paused  "Hello {{1}}"'] });
    const send = () => runAt(url, 'send', '--to', phone, '--template', 'order_update', '--var', '1=Ada');
    expect(await send()).toMatchObject({ exitCode: 1 });
    await runAt(url, 'template', 'order_update', 'approved');
    expect(await send()).toMatchObject({ exitCode: 0 });
  });

  test('adds a template, and changes its text alone', async () => {
    const { url } = await start();
    const added = await runAt(url, 'template', 'welcome', 'pending', '--body', 'Hi', '--language', 'de');
    expect(added).toMatchObject({ exitCode: 0, lines: ['welcome  pending  "Hi"'] });
    const changed = await runAt(url, 'template', 'welcome', '--body', 'Bye', '--json');
    expect(JSON.parse(changed.lines.join(''))).toMatchObject({
      status: 'pending',
      body: 'Bye',
      language: 'de',
    });
  });

  test.each([[['order_updat']], [['order_updat', 'paused']]])(
    'says which templates there are if %j names none',
    async (words) => {
      const { url } = await start();
      const { exitCode, lines, complaints } = await runAt(url, 'template', ...words);
      expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] });
      expect(complaints).toContain('no template order_updat. It has order_update. To add one, pass its text');
    },
  );

  test.each([[['--body', 'Hi']], [['order_update', 'sleeping']]])('refuses %j', async (words) => {
    const { url } = await start();
    expect(await runAt(url, 'template', ...words)).toMatchObject({ exitCode: 2, lines: [] });
  });
});

describe('fault', () => {
  test('adds a rule, which is injected as often as it says, and prints how often it was', async () => {
    const { url } = await start();
    const words = ['fault', 'add', 'transactional.send', 'status', '--status', '503', '--times', '1'];
    const { exitCode, lines } = await runAt(url, ...words, '--retry-after', '1ms');
    expect(exitCode).toBe(0);
    expect(lines.join('')).toMatch(
      /^\S+ {2}requests: transactional\.send {2}status status=503 retryAfter=1ms times=1 {2}injected into 0 of 0$/,
    );
    for (let sends = 0; sends < 2; sends += 1)
      await runAt(url, 'send', '--to', phone, '--template', 'order_update', '--var', '1=Ada');
    const { lines: after } = await runAt(url, 'fault');
    expect(after).toEqual([expect.stringMatching(/injected into 1 of [2-9]$/)]);
  });

  test.each([
    [
      ['requests', 'latency', '--duration', '2s', '--probability', '0.2'],
      { operation: 'any', probability: 0.2, fault: { kind: 'latency', duration: '2s' } },
    ],
    [
      ['deliveries', 'reset', '--when', 'after_receipt', '--every', '2'],
      { delivery: 'any', every: 2, fault: { kind: 'reset', when: 'after_receipt' } },
    ],
    [
      ['message.received', 'tamper', '--part', 'signature', '--nth', '3', '--subscription-id', 'webhook_1'],
      {
        delivery: 'message.received',
        nth: 3,
        subscriptionId: 'webhook_1',
        fault: { kind: 'tamper', part: 'signature' },
      },
    ],
    [
      ['contacts.get', 'drift', '--change', 'remove', '--field', 'id'],
      { operation: 'contacts.get', fault: { kind: 'drift', change: 'remove', field: 'id' } },
    ],
  ])('fault add %j is the rule %j', async (words, rule) => {
    const served = await start();
    const { exitCode, lines } = await runAt(served.url, 'fault', 'add', ...words, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(lines.join(''))).toMatchObject({ rule, matched: 0, injected: 0 });
    expect(await listed(served, '/control/faults')).toMatchObject([{ rule }]);
  });

  test('removes one rule, and all of them', async () => {
    const served = await start();
    const add = async () => {
      const { lines } = await runAt(served.url, 'fault', 'add', 'requests', 'stall', '--json');
      return JSON.parse(lines.join('')).id;
    };
    const [first, second] = [await add(), await add()];
    expect(await runAt(served.url, 'fault', 'remove', first)).toMatchObject({
      lines: [`${first} is removed.`],
    });
    expect(await listed(served, '/control/faults')).toMatchObject([{ id: second }]);
    expect(await runAt(served.url, 'fault', 'clear')).toMatchObject({ exitCode: 0 });
    const empty = { exitCode: 0, lines: ['There is no fault rule.'], complaints: '' };
    expect(await runAt(served.url, 'fault')).toEqual(empty);
    expect(await runAt(served.url, 'fault', '--json')).toEqual({ ...empty, lines: [] });
  });

  test.each([
    [
      ['add', 'transactional.sent', 'stall'],
      /refused this with 400: .*the subject must be .*transactional\.send/,
    ],
    [['add', 'requests', 'tamper'], /the kind must be status, rate_limit, latency/],
    [['add', 'requests', 'status'], /--status must be a whole number from 300 to 599/],
    [['add', 'requests', 'rate_limit', '--retry-after', 'soon'], /--retry-after must be/],
    [['remove', 'fault_0'], /404/],
  ])('fault %j ends with 1 and what the server says', async (words, complaint) => {
    const { url } = await start();
    const { exitCode, complaints } = await runAt(url, 'fault', ...words);
    expect(exitCode).toBe(1);
    expect(complaints).toMatch(complaint);
  });

  test.each([
    [['add', 'requests']],
    [['remove']],
    [['clear', 'fault_1']],
    [['--times', '2']],
    [['remove', 'fault_1', '--status', '503']],
    [['add', 'requests', 'status', '--status', 'much']],
  ])('refuses the words %j, and changes nothing', async (words) => {
    const served = await start();
    expect(await runAt(served.url, 'fault', ...words)).toMatchObject({ exitCode: 2, lines: [] });
    expect(await listed(served, '/control/faults')).toEqual([]);
  });
});

describe('track', () => {
  test('tracks one event with its properties, which starts a journey', async () => {
    const served = await start();
    const words = ['track', 'signed_up', '--phone', phone, '--properties', '{"total":12.5,"size":1}'];
    expect(await runAt(served.url, ...words, '--property', 'size=a=b')).toEqual({
      exitCode: 0,
      lines: ['signed_up of +***67 is tracked.'],
      complaints: '',
    });
    expect(await listed(served, '/control/events')).toMatchObject([
      { event: 'signed_up', properties: { total: 12.5, size: 'a=b' } },
    ]);
    expect(await listed(served, '/control/journey-runs')).toMatchObject([{ journeyId: 'welcome' }]);
  });

  test('says that the service rejected it, and why', async () => {
    const { url } = await start();
    const { exitCode, lines } = await runAt(url, 'track', 'signed_up', '--phone', '+15550000000', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(lines.join(''))).toMatchObject({ outcome: 'rejected', status: 404 });
  });

  test.each(['[1]', 'null', '{', '"text"', '12'])('refuses the properties %s', async (properties) => {
    const served = await start();
    const words = ['track', 'signed_up', '--phone', phone, '--properties', properties];
    expect(await runAt(served.url, ...words)).toMatchObject({ exitCode: 2, lines: [] });
    expect(await listed(served, '/control/events')).toEqual([]);
  });
});

describe('contacts upsert', () => {
  test('creates a contact, and updates it', async () => {
    const served = await start();
    const upsert = (...words: readonly string[]) =>
      runAt(served.url, 'contacts', 'upsert', '+15550000001', ...words);
    expect(await upsert('--property', 'firstName=Ada', '--properties', '{"visits":3}')).toEqual({
      exitCode: 0,
      lines: [expect.stringMatching(/^\+\*\*\*01 is contact_\w+\.$/)],
      complaints: '',
    });
    const { lines } = await upsert('--property', 'firstName=Grace', '--json');
    const { data } = await (await served.ask('/control/contacts')).json();
    expect(data).toContainEqual(
      expect.objectContaining({
        id: JSON.parse(lines.join('')).id,
        properties: { firstName: 'Grace', visits: 3 },
      }),
    );
  });

  test.each([
    ['a phone that is none', ['555'], 'phone must be a phone number'],
    [
      'a property that is none',
      ['+15550000001', '--properties', '{"a":{}}'],
      'properties.a must be a string',
    ],
  ])('refuses %s', async (_, words, complaint) => {
    const { url } = await start();
    const { exitCode, complaints } = await runAt(url, 'contacts', 'upsert', ...words);
    expect({ exitCode, complaints }).toEqual({ exitCode: 2, complaints: expect.stringContaining(complaint) });
  });
});

describe('clock', () => {
  test('says what ran while it moved, and the new time', async () => {
    const { url } = await start();
    await runAt(url, 'track', 'signed_up', '--phone', phone);
    const { exitCode, lines } = await runAt(url, 'clock', 'advance', '1d');
    expect(exitCode).toBe(0);
    expect(lines.at(-1)).toBe('2026-01-02T09:00:00.000Z');
    expect(lines.slice(0, -1).join('\n')).toContain('order_update to +***67 by a journey');
    expect(await runAt(url, 'clock', 'advance', '1d')).toMatchObject({ lines: ['2026-01-03T09:00:00.000Z'] });
  });

  test('gives what ran as JSON, in the order in which it ran', async () => {
    const { url } = await start();
    await runAt(url, 'track', 'signed_up', '--phone', phone);
    const { lines } = await runAt(url, 'clock', 'next', '--json');
    const { time, ran } = JSON.parse(lines.join(''));
    expect(time).toBe('2026-01-02T09:00:00.000Z');
    expect(ran.map(({ type }: { readonly type: string }) => type)).toContain('send');
  });
});
