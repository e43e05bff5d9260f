import { describe, expect, test } from 'vitest';
import { reply, startReceiver } from '../server/support/receiver.js';
import { serveRequests } from './http-servers.js';
import { runAt, runCommand, serve, start } from './served.js';

/** A server with one delivery, which came or failed, and its id as `logs` shows it. */
async function startWithDelivery(hook: string) {
  const { url, ask } = await serve();
  await ask('/api/v1/webhooks', { url: `${hook}?token=of_the_receiver`, events: ['message.received'] });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  await ask('/control/journal?type=attempt&wait=10s');
  const { lines } = await runAt(url, 'logs', '--type', 'attempt');
  const [, id = ''] = / of (delivery_\w+):/.exec(lines.join('\n')) ?? [];
  return { url, id, ask, settle: () => ask('/control/settled', {}) };
}

test('redeliver sends the same bytes once more, and says so in words or as masked JSON', async () => {
  const receiver = await startReceiver(reply(204));
  const { url, id, settle } = await startWithDelivery(receiver.url);
  const { exitCode, lines } = await runAt(url, 'redeliver', id);
  expect(exitCode).toBe(0);
  expect(lines.join('\n')).toMatch(/^delivery_\w+ repeats /);
  expect(lines.join('\n')).toContain(` repeats ${id}: the same message.received to ${receiver.url}.`);
  await settle();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body);
  const { lines: data } = await runAt(url, 'redeliver', id, '--json');
  const [delivery] = data.map((line) => JSON.parse(line));
  expect(delivery).toMatchObject({ redeliveryOf: id, event: 'message.received', status: 'pending' });
  expect(data.join('')).not.toContain('5551234567');
});

test('explain says why a delivery failed, and what to do, in words or as JSON', async () => {
  const { url, id } = await startWithDelivery('http://127.0.0.1:9/hooks');
  const { exitCode, lines } = await runAt(url, 'explain', id);
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    `${id} is pending.`,
    [
      '',
      '  unreachable (certain)',
      '  Nothing listens on 127.0.0.1:9.',
      "  Start your receiver, or correct the subscription's URL. In a container, localhost is the container itself.",
    ].join('\n'),
  ]);
  const { lines: data } = await runAt(url, 'explain', id, '--json');
  expect(data.map((line) => JSON.parse(line))).toMatchObject([
    { deliveryId: id, causes: [{ cause: 'unreachable' }], signature: { matches: true } },
  ]);
});

test('explain says after the last attempt how to try again, and speaks of no retry', async () => {
  const { url, id, ask, settle } = await startWithDelivery((await startReceiver(reply(500))).url);
  const last = async () => (await runAt(url, 'explain', id)).lines;
  expect((await last()).join('\n')).toContain('The service retries the delivery.');
  expect((await last()).join('\n')).not.toContain('messaging-automation redeliver');
  for (const duration of ['10s', '1m']) {
    await ask('/control/clock/advance', { by: duration });
    await settle();
  }
  const lines = await last();
  expect(lines[0]).toBe(`${id} is failed.`);
  expect(lines.at(-1)).toContain(`messaging-automation redeliver ${id}`);
  expect(lines.join('\n')).not.toContain('retries');
});

test('explain prints its advice on secrets whole, and no secret', async () => {
  const { url, id } = await startWithDelivery((await startReceiver(reply(401))).url);
  const { lines } = await runAt(url, 'explain', id);
  expect(lines[1]).toContain('wrong_secret (likely)');
  expect(lines[1]).toContain('correct the secret. The prefix whsec_ is a part of it.');
  expect(lines.join('')).not.toMatch(/\*\*\*|whsec_\w/);
});

test.each(['redeliver', 'explain'])('%s of what is not known ends with 1', async (command) => {
  const { url } = await serve();
  const { exitCode, lines, complaints } = await runAt(url, command, '../reset');
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] });
  expect(complaints).toMatch(/refused this with 404: not_found: /);
});

describe('redeliver --failed', () => {
  const down = Array.from({ length: 3 }, () => reply(500));

  /** A server at which a message failed to reach two endpoints, which respond with 204 after this many messages. */
  async function startWithFailures(messages = 1) {
    const { url, ask } = await serve();
    await ask('/control/clock/freeze', {});
    const outage = Array.from({ length: messages }, () => down).flat();
    const receivers = [
      await startReceiver(...outage, reply(204)),
      await startReceiver(...outage, reply(204)),
    ];
    for (const receiver of receivers)
      await ask('/api/v1/webhooks', { url: `${receiver.url}?token=hidden`, events: ['message.received'] });
    const fail = async () => {
      await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
      await ask('/control/clock/run-to-idle', {});
    };
    await fail();
    return { url, ask, receivers, fail };
  }

  test('prints the count, sends each failed delivery again, and finds none after that', async () => {
    const { url, ask, receivers } = await startWithFailures();
    const { exitCode, lines, complaints } = await runAt(url, 'redeliver', '--failed', '--yes');
    expect({ exitCode, complaints }).toEqual({
      exitCode: 0,
      complaints: 'Failed deliveries: 2. Their endpoints: 2.\n2 of 2 are on their way.\n',
    });
    for (const { url: endpoint } of receivers)
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`repeats delivery_\\w+: .* to ${endpoint}\\.$`)),
      );
    await ask('/control/settled', {});
    expect(receivers.map(({ received }) => received.length)).toEqual([4, 4]);
    expect(receivers[0]?.received[3]?.body).toEqual(receivers[0]?.received[0]?.body);
    expect(await runAt(url, 'redeliver', '--failed')).toEqual({
      exitCode: 0,
      lines: [],
      complaints: 'No delivery has failed. One that waits for a retry does not count yet.\n',
    });
  });

  test('sends once more what failed again, once for each event', async () => {
    const { url, ask, receivers } = await startWithFailures(2);
    await runAt(url, 'redeliver', '--failed', '--yes');
    await ask('/control/clock/run-to-idle', {});
    const { complaints, lines } = await runAt(url, 'redeliver', '--failed', '--yes', '--json');
    expect(complaints).toContain('Failed deliveries: 2.');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: 'pending' },
      { status: 'pending' },
    ]);
    await ask('/control/settled', {});
    expect(receivers.map(({ received }) => received.length)).toEqual([7, 7]);
  });

  test('two at once send each failed delivery once, and both say so', async () => {
    const { url, ask, receivers } = await startWithFailures();
    const runs = await Promise.all([1, 2].map(() => runAt(url, 'redeliver', '--failed', '--yes')));
    await ask('/control/settled', {});
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(receivers.map(({ received }) => received.length)).toEqual([4, 4]);
  });

  test('leaves alone what another command redelivers while it asks', async () => {
    const { url, ask, receivers } = await startWithFailures();
    const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key' };
    const { terminal, ended } = start(['redeliver', '--failed', '--url', url], {
      env,
      interactive: true,
    });
    await terminal.complaint(/Redeliver them\? \[y\/N\] $/);
    await runAt(url, 'redeliver', '--failed', '--yes');
    terminal.pipes.input.write('y\n');
    expect(await ended()).toBe(0);
    await ask('/control/settled', {});
    expect(receivers.map(({ received }) => received.length)).toEqual([4, 4]);
    expect(terminal.complaints).toMatch(/409: conflict: The delivery already has a redelivery/);
    expect(terminal.complaints).toContain('0 of 2 are on their way. Redelivered by another command: 2.\n');
  });

  test('--since leaves out what is older by the clock of the workspace', async () => {
    const { url, ask, fail } = await startWithFailures(2);
    await ask('/control/clock/advance', { by: '2h' });
    await fail();
    const count = async (...words: readonly string[]) => {
      const { complaints } = await runAt(url, 'redeliver', '--failed', ...words);
      return /deliveries: (\d)/.exec(complaints)?.[1];
    };
    expect([await count(), await count('--since', '1h'), await count('--since', '7d')]).toEqual([
      '4',
      '2',
      '4',
    ]);
  });

  test.each([
    ['yes', 0, 4],
    ['no', 1, 3],
  ])('asks in a terminal, and takes %s for a reply', async (typed, exitCode, requests) => {
    const { url, ask, receivers } = await startWithFailures();
    const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key' };
    const { terminal, ended } = start(['redeliver', '--failed', '--url', url], { env, interactive: true });
    await terminal.complaint(/Redeliver them\? \[y\/N\] $/);
    terminal.pipes.input.write(`${typed}\n`);
    expect(await ended()).toBe(exitCode);
    await ask('/control/settled', {});
    expect(receivers.map(({ received }) => received.length)).toEqual([requests, requests]);
  });

  test('needs --yes off a terminal', async () => {
    const { url, receivers } = await startWithFailures();
    const { exitCode, complaints } = await runAt(url, 'redeliver', '--failed');
    expect({ exitCode, complaints }).toEqual({
      exitCode: 2,
      complaints: expect.stringContaining('pass --yes'),
    });
    expect(receivers[0]?.received).toHaveLength(3);
  });

  test('reads every page, leaves out what a redelivery brings, and goes on after a refusal', async () => {
    const delivery = (id: string, status: string, redeliveryOf?: string) => ({
      ...{ id, status, event: 'message.received', url: 'https://app.example.com/hooks', createdAt: 1 },
      ...(redeliveryOf && { redeliveryOf }),
    });
    const pages: Readonly<Record<string, object>> = {
      '/control/clock': { now: 2 },
      '/control/deliveries': {
        data: [delivery('one', 'failed'), delivery('two', 'failed'), delivery('three', 'failed')],
        more: true,
        cursor: 'a b',
      },
      '/control/deliveries?cursor=a+b': {
        data: [
          delivery('again', 'failed', 'one'),
          delivery('pending', 'pending', 'again'),
          delivery('four', 'failed'),
        ],
        more: false,
      },
    };
    const repeated: string[] = [];
    const url = await serveRequests(({ method, url: path = '' }, response) => {
      if (method === 'POST') repeated.push(path);
      const responded = method === 'POST' ? delivery('new', 'pending') : pages[path];
      const status = path.includes('three') ? 429 : 200;
      response.writeHead(status).end(JSON.stringify(status === 429 ? { error: '\u001b[31m' } : responded));
    });
    const { exitCode, output, complaints } = await runCommand([
      'redeliver',
      '--failed',
      '--since',
      '1h',
      '--yes',
      '--url',
      url,
    ]);
    expect(exitCode).toBe(1);
    expect(repeated).toEqual(
      ['two', 'three', 'four'].map((id) => `/control/deliveries/${id}/redeliver?ifFailed=true`),
    );
    expect(output.split('\n')).toHaveLength(2);
    expect(complaints).toContain('Failed deliveries: 3. Their endpoints: 1.\n');
    expect(complaints).toMatch(/three: .* responded with 429: \\u001b\[31m\n2 of 3 are on their way\.\n$/);
  });
});
