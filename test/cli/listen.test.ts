import type { ServerResponse } from 'node:http';
import { unwrapWebhook } from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../server/support/manual-clock.js';
import { hang, reply, startReceiver } from '../server/support/receiver.js';
import { phone, startServer } from '../server/support/reference.js';
import { withResolvers } from '../waiting.js';
import type { FakeTerminal, TerminalOptions } from './fake-terminal.js';
import { nowhere } from './http-servers.js';
import { startProxy } from './proxy.js';
import {
  runAt,
  runCommand,
  type Served,
  type StartedCommand,
  serve,
  start,
  temporaryFile,
} from './served.js';

const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key' };

/** Runs `listen` until it is stopped. Resolves when deliveries can come. */
async function listening(url: string, to: string, options: TerminalOptions = {}): Promise<StartedCommand> {
  const started = start(['listen', '--url', url, '--forward-to', to], options);
  await started.terminal.line(/^Listening/);
  return started;
}

async function frozen(...words: readonly string[]): Promise<Served> {
  return serve('--seed', await temporaryFile('seed.yaml', 'clock: frozen'), ...words);
}

const say = ({ ask }: Served, body: string) => ask('/control/inbound-messages', { phone, body });

/** The deliveries of a server, once all that is due is done. */
async function deliveriesOf({ ask }: Served): Promise<readonly unknown[]> {
  await ask('/control/settled', {});
  const { data } = await (await ask('/control/deliveries')).json();
  return data;
}

async function subscriptionsOf({ ask }: Served): Promise<readonly unknown[]> {
  const { data } = await (await ask('/control/managed-webhooks')).json();
  return data;
}

/** The end of a forwarded line: without its time, its delivery and how long it took. */
const told = (line: string) => line.slice(10).replace(/delivery_\w+, \d+ ms/, 'delivery_…');

const forwarded = ({ printed }: FakeTerminal) => printed.filter((line) => /^\d\d:/.test(line)).map(told);

describe('listen', () => {
  test('sends on the exact bytes with their headers, and says what came of it', async () => {
    const served = await frozen('--receiver-addresses', 'public', '--delivery-timestamps', 'machine');
    const receiver = await startReceiver(reply(204));
    const { terminal, stop } = await listening(served.url, `${receiver.url}?token=of_the_receiver`);
    await say(served, 'Hello, \u{1f44b}');
    await terminal.line(/^\d\d:/);
    const deliveries = await deliveriesOf(served);
    expect(deliveries).toMatchObject([{ status: 'delivered', attempts: [{ number: 1, status: 204 }] }]);
    const [{ method, path, headers, body } = expect.fail('Nothing came.')] = receiver.received;
    expect([method, path]).toEqual(['POST', '/hooks?token=of_the_receiver']);
    expect(headers['content-type']).toBe('application/json');
    const { lines } = await runAt(served.url, 'listen', '--print-secret');
    const signature = String(headers['x-service-signature']);
    expect(unwrapWebhook(body, signature, String(lines[0]))).toMatchObject({ event: 'message.received' });
    expect(forwarded(terminal)).toEqual(['204  message.received, attempt 1 of delivery_…']);

    expect(await stop()).toBe(0);
    expect(terminal.printed[0]).toBe(
      `Listening at ${served.url} to message.received, contact.opted_in, contact.opted_out, forwarding to ${receiver.url}. Press Ctrl-C to stop.`,
    );
    expect(terminal.printed.at(-1)).toBe('Stopped.');
    expect(terminal.complaints).toBe('');
    expect(JSON.stringify(deliveries)).not.toContain('of_the_receiver');
    expect(await subscriptionsOf(served)).toEqual([]);
  });

  test('has the server try again where the receiver responds with no 2xx, until it does', async () => {
    const served = await frozen();
    const busy = (response: ServerResponse) =>
      response
        .writeHead(500)
        .end(JSON.stringify({ error: { code: 'busy', message: `call ${phone}\u001b[31m` } }));
    const receiver = await startReceiver(busy, reply(500), reply(204));
    const { terminal } = await listening(served.url, receiver.url);
    await say(served, 'Hello');
    await served.ask('/control/settled', {});
    await served.ask('/control/clock/advance', { by: '10s' });
    expect(receiver.received).toHaveLength(2);
    await served.ask('/control/clock/advance', { by: '1m' });
    expect(await deliveriesOf(served)).toMatchObject([
      { status: 'delivered', attempts: [{ status: 500 }, { status: 500 }, { status: 204 }] },
    ]);
    expect(forwarded(terminal)).toEqual([
      '500  message.received, attempt 1 of delivery_…: busy: call +***67\\u001b[31m',
      '500  message.received, attempt 2 of delivery_…',
      '204  message.received, attempt 3 of delivery_…',
    ]);
    const [first, ...others] = receiver.received.map(({ body }) => body.toString());
    expect(others).toEqual([first, first]);
  });

  test('takes the status of a response that says it is compressed and is not, as the server does', async () => {
    const served = await frozen();
    const falsely = (response: ServerResponse) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('not compressed');
    const receiver = await startReceiver(falsely, falsely);
    await served.ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
    const { terminal } = await listening(served.url, receiver.url);
    await say(served, 'Hello');
    await terminal.line(/^\d\d:/);
    const sameAttempt = { status: 'delivered', attempts: [{ status: 200, responseBody: 'not compressed' }] };
    expect(await deliveriesOf(served)).toMatchObject([sameAttempt, sameAttempt]);
  });

  test('reports that nothing listens at the local port', async () => {
    const served = await frozen();
    const { terminal } = await listening(served.url, await nowhere());
    await say(served, 'Hello');
    const line = await terminal.line(/^\d\d:/);
    expect(told(line)).toMatch(
      /^--- {2}message\.received, attempt 1 of delivery_…: no response: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
    );
    expect(await deliveriesOf(served)).toMatchObject([
      {
        status: 'pending',
        attempts: [{ error: expect.stringMatching(/^no response: connect ECONNREFUSED/) }],
      },
    ]);
  });

  test('prints JSON for programs, with secrets and phone numbers masked', async () => {
    const served = await frozen();
    const receiver = await startReceiver((response) => response.writeHead(400).end(`whsec_1 of ${phone}`));
    const { terminal, stop } = start(
      ['listen', '--url', served.url, '--forward-to', receiver.url, '--events', 'contact.opted_in', '--json'],
      { env: { ...env, WEBHOOK_SECRET: 'whsec_of_the_receiver' } },
    );
    await terminal.line(/"ready"/);
    expect(await subscriptionsOf(served)).toMatchObject([{ secret: 'whsec_of_the_receiver' }]);
    await say(served, 'Hello');
    await say(served, 'START');
    await terminal.line(/"attempt"/);
    expect(await stop()).toBe(0);
    expect(terminal.printed.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'ready', url: served.url, forwardTo: receiver.url, events: ['contact.opted_in'] },
      {
        type: 'attempt',
        event: 'contact.opted_in',
        number: 1,
        url: receiver.url,
        status: 400,
        responseBody: 'whsec_*** of +***67',
        error: 'the receiver responded with 400',
        duration: expect.any(Number),
      },
      { type: 'stopped' },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('listen --print-secret', () => {
  const printSecret = (words: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    runCommand(['listen', '--print-secret', ...words], { env: variables });

  test('prints the secret that is made of the key, without a server', async () => {
    const first = await printSecret(['--api-key', 'test_key']);
    expect(first).toMatchObject({ exitCode: 0, lines: [expect.stringMatching(/^whsec_[\da-f]{64}$/)] });
    expect(await printSecret([], env)).toEqual(first);
    expect(await printSecret(['--api-key', 'other_key'])).not.toEqual(first);
  });

  test('prints the one that is given, or that of the environment', async () => {
    const variables = { ...env, WEBHOOK_SECRET: 'whsec_of_the_environment' };
    expect((await printSecret([], variables)).lines).toEqual(['whsec_of_the_environment']);
    expect((await printSecret(['--secret', 'whsec_given'], variables)).lines).toEqual(['whsec_given']);
  });
});

describe('listen gives up with the server', () => {
  /** A server whose machine is in the test's hands, a proxy before it, and a listener behind that. */
  async function startByHand(receiver: { readonly url: string }) {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    onTestFinished(() => machine.pass(60_000));
    const proxy = await startProxy(await server.listen());
    const { terminal, stop } = await listening(proxy.url, receiver.url, {
      env: { MESSAGING_AUTOMATION_API_KEY: server.apiKey },
    });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    return { machine, server, proxy, terminal, stop };
  }

  test('where the receiver takes longer than five seconds, and closes the connection to it', async () => {
    const closed = withResolvers<void>();
    const receiver = await startReceiver((response) => void response.once('close', closed.resolve));
    const { machine, server, terminal } = await startByHand(receiver);
    await receiver.arrived(1);
    machine.pass(5_000);
    await server.settled();
    await closed.promise;
    expect(told(await terminal.line(/^\d\d:/))).toBe(
      '---  message.received, attempt 1 of delivery_…: no complete response within 5 s',
    );
    expect(await server.journal.deliveries()).toMatchObject([
      { status: 'pending', attempts: [{ error: 'no complete response within 5 s' }] },
    ]);
  });

  test('and says that a response is too late, which a lost connection held up', async () => {
    const responding = withResolvers<ServerResponse>();
    const receiver = await startReceiver(responding.resolve);
    const { machine, server, proxy, terminal } = await startByHand(receiver);
    const response = await responding.promise;
    const lost = terminal.complaint(/Lost the connection/);
    proxy.block(true);
    await lost;
    machine.pass(5_000);
    await server.settled();
    response.writeHead(204).end();
    expect(told(await terminal.line(/^\d\d:/))).toBe('204  message.received, attempt 1 of delivery_…');
    const tooLate = terminal.complaint(
      /The response to attempt 1 of delivery_\w+ is too late: the server no longer waits for it\.\n/,
    );
    proxy.block(false);
    await tooLate;
    expect((await server.journal.deliveries())[0]?.attempts).toMatchObject([
      { error: expect.stringContaining('no complete response within 5 s') },
    ]);
  });
});

describe('listen goes on', () => {
  test.each([
    ['with its state, as the same listener', true],
    ['without, as a new listener with the same secret', false],
  ])('after a restart of the server %s', async (_, hasState) => {
    const state = hasState ? ['--state', `${await temporaryFile('seed.yaml', '')}.state.json`] : [];
    const first = await serve(...state);
    const receiver = await startReceiver(reply(204));
    const proxy = await startProxy(first);
    const { terminal } = await listening(proxy.url, receiver.url);
    const [before] = await subscriptionsOf(first);
    await say(first, 'one');
    await receiver.arrived(1);
    await first.ask('/control/settled', {});
    const again = terminal.complaint(/Reconnected\.\n/);
    await first.stop();

    const served = await serve(...state);
    proxy.lead(served.url);
    await again;
    await say(served, 'two');
    await receiver.arrived(2);
    const deliveries = await deliveriesOf(served);
    expect(deliveries).toHaveLength(hasState ? 2 : 1);
    expect(deliveries.at(-1)).toMatchObject({ status: 'delivered', attempts: [{ status: 204 }] });
    const { id, secret } = Object(before);
    expect(await subscriptionsOf(served)).toEqual([
      expect.objectContaining({ secret, id: hasState ? id : expect.not.stringContaining(id) }),
    ]);
  });

  test('after a reset of the workspace', async () => {
    const served = await frozen();
    const receiver = await startReceiver(reply(204));
    const { terminal } = await listening(served.url, receiver.url);
    const again = terminal.complaint(/Reconnected\.\n/);
    await served.ask('/control/reset', {});
    await again;
    await say(served, 'Hello');
    await receiver.arrived(1);
    expect(await subscriptionsOf(served)).toHaveLength(1);
  });
});

// logs.test.ts has the reasons that both commands share.
describe('listen ends with 1 and a reason', () => {
  test('where the key is revoked', async () => {
    const served = await serve();
    const receiver = await startReceiver(reply(204));
    const { terminal, ended } = await listening(served.url, receiver.url);
    const { apiKey } = await (await served.ask('/control/api-keys', {})).json();
    await served.ask('/control/api-keys', undefined, { method: 'DELETE' });
    const headers = { Authorization: `Bearer ${apiKey}` };
    await served.ask('/control/inbound-messages', { phone, body: 'Hello' }, { headers });
    expect(await ended()).toBe(1);
    expect(terminal.complaints).toContain('has no workspace with this key');
  });

  test('where somebody removes it', async () => {
    const served = await serve();
    const { terminal, ended } = await listening(served.url, 'http://127.0.0.1:1/hooks');
    const [subscription] = await subscriptionsOf(served);
    await served.ask(`/control/subscriptions/${Object(subscription).id}`, undefined, { method: 'DELETE' });
    expect(await ended()).toBe(1);
    expect(terminal.complaints).toContain(' removed the listener.');
  });

  test('where the server stays away for a minute', async () => {
    const served = await serve();
    const proxy = await startProxy(served);
    const clock = new ManualClock();
    const { terminal, exit } = await listening(proxy.url, 'http://127.0.0.1:1/hooks', { clock });
    let exitCode: number | undefined;
    void exit.then((code) => {
      exitCode = code;
    });
    proxy.block(true);
    const passTime = () => {
      clock.pass(500);
      return exitCode;
    };
    await expect.poll(passTime, { interval: 2, timeout: 8_000, message: 'exit code' }).toBe(1);
    expect(terminal.complaints).toMatch(
      /^Lost the connection to .*\nerror: No connection to http:\/\/\S+ within 60 s\. Start the command again when the server runs\.\n$/,
    );
  });
});

test('Ctrl-C ends what is under way, and cancels what it would have responded', async () => {
  const served = await frozen();
  const receiver = await startReceiver(hang);
  const { stop } = await listening(served.url, receiver.url);
  await say(served, 'Hello');
  await receiver.arrived(1);
  expect(await stop()).toBe(0);
  expect(await deliveriesOf(served)).toMatchObject([
    { status: 'cancelled', attempts: [{ error: 'the listener was removed' }] },
  ]);
});
