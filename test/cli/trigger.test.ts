import type { RequestListener } from 'node:http';
import { createWebhookReceiver, toNodeHandler, type WebhookEvent } from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveRequests } from './http-servers.js';
import { runAt, runCommand, serve } from './served.js';

const phone = '+15551234567';
const secret = 'whsec_of_the_test';

const listen = async (listener: RequestListener) => `${await serveRequests(listener)}/hooks`;

/** A receiver, and the events that it took. */
async function startReceiver() {
  const events: WebhookEvent[] = [];
  const receiver = createWebhookReceiver({ secret, onRefused: () => {} }).onAny((event) => {
    events.push(event);
  });
  return { events, to: await listen(toNodeHandler(receiver)) };
}

const trigger = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(['trigger', ...words], { env });

describe('trigger, at a server', () => {
  test('has a contact write', async () => {
    const { url, ask } = await serve();
    const words = ['trigger', 'message', '--phone', phone, '--body', 'Hello'];
    const { exitCode, lines } = await runAt(url, ...words);
    expect(exitCode).toBe(0);
    expect(lines.join('\n')).toMatch(/^contact_\w+ wrote a message \(message_\w+\)\.$/);
    const response = await ask('/control/journal?type=message');
    expect(await response.json()).toMatchObject({ data: [{ phone, body: 'Hello' }] });
  });

  test.each([
    ['opted-in', 'opted_in'],
    ['contact.opted_out', 'opted_out'],
  ])('%s has the contact write the keyword', async (event, consent) => {
    const { url, ask } = await serve();
    const { lines } = await runAt(url, 'trigger', event, '--phone', phone);
    expect(lines.join('\n')).toContain(`, and is now ${consent}.`);
    const response = await ask(`/control/consent?phone=${encodeURIComponent(phone)}`);
    expect(await response.json()).toEqual({ consent });
  });

  test('ends with 1 where the server refuses, and says why without the phone', async () => {
    const { url } = await serve();
    const { exitCode, complaints } = await runAt(url, 'trigger', 'opted-in', '--phone', '0015551234567');
    expect(exitCode).toBe(1);
    expect(complaints).toMatch(
      /refused this with 400: invalid_request: phone must be a phone number in E\.164/,
    );
    expect(complaints).not.toContain('0015551234567');
  });
});

describe('trigger --to', () => {
  test.each(['message.received', 'contact.opted_in', 'contact.opted_out'])(
    'delivers a signed %s without a server',
    async (event) => {
      const { events, to } = await startReceiver();
      const { exitCode, output } = await trigger([event, '--to', to, '--secret', secret]);
      expect({ exitCode, output }).toEqual({ exitCode: 0, output: `${event} to ${to}: 204` });
      expect(events).toMatchObject([{ event }]);
    },
  );

  test('takes the secret from the environment, and the phone and the body from the command', async () => {
    const { events, to } = await startReceiver();
    const words = ['message', '--to', to, '--phone', '+442071838750', '--body', 'Where is it?'];
    expect(await trigger(words, { WEBHOOK_SECRET: secret })).toMatchObject({ exitCode: 0 });
    expect(events).toMatchObject([{ data: { phone: '+442071838750', body: 'Where is it?' } }]);
  });

  test('ends with 1 and the response where the receiver refuses', async () => {
    const { events, to } = await startReceiver();
    const { exitCode, output } = await trigger(['message', '--to', to, '--secret', 'whsec_wrong']);
    expect(exitCode).toBe(1);
    expect(output).toContain(`${to}: 401: the service would retry`);
    expect(output).not.toContain('whsec_wrong');
    expect(events).toEqual([]);
  });

  test('prints a response that holds anything, without the secret and without what a terminal obeys', async () => {
    const to = await listen((_, response) => {
      response.writeHead(500).end(`boom \u001b[31m\n\nat ${secret}`);
    });
    const { exitCode, output } = await trigger(['message', '--to', `${to}?token=hidden`, '--secret', secret]);
    expect(exitCode).toBe(1);
    expect(output).toBe(
      `message.received to ${to}: 500: the service would retry\n  boom \\u001b[31m\n  at ***`,
    );
  });

  test('prints the response as JSON, without the secret and without the query of the URL', async () => {
    const to = await listen((_, response) => {
      response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end(`elsewhere, not at ${secret}`);
    });
    const words = ['opted-in', '--to', `${to}?token=hidden`, '--secret', secret, '--json'];
    const { exitCode, output } = await trigger(words);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toEqual({
      event: 'contact.opted_in',
      url: to,
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: 307,
      responseBody: 'elsewhere, not at ***',
    });
  });

  test('reads the beginning of a response that has no end', async () => {
    const to = await listen((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
      };
      response.writeHead(200).on('drain', write);
      write();
    });
    const { exitCode, output } = await trigger(['message', '--to', to, '--secret', secret, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ status: 200, responseBody: 'x'.repeat(4_096) });
  });

  test('ends with 1 where nobody responds, or later than the service waits', async () => {
    const gone = await listen((request) => request.socket.destroy());
    expect(await trigger(['message', '--to', gone, '--secret', secret])).toMatchObject({
      exitCode: 1,
      complaints: expect.stringContaining(
        `error: The receiver at ${gone} did not take the delivery: no response: `,
      ),
    });

    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    onTestFinished(() => timeout.mockRestore());
    const { to } = await startReceiver();
    const { exitCode, complaints } = await trigger(['message', '--to', to, '--secret', secret]);
    expect(timeout).toHaveBeenCalledWith(5_000);
    expect(exitCode).toBe(1);
    expect(complaints).toContain(`error: The receiver at ${to} did not respond within 5 s.`);
  });
});
