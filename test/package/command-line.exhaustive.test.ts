import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notRun, succeeds } from '../run/debian.js';
import { startReceiver } from '../server/support/receiver.js';
import { built, runOffTerminal } from '../terminal/command-run.js';

/**
 * The built command, asked with curl and checked with openssl: programs that share no code with this package.
 * Expectations are written out as the document has them.
 */
const isMissing = !(await succeeds('curl', '--version')) || !(await succeeds('openssl', 'version'));
if (isMissing) notRun('the command line from outside', 'curl or openssl cannot be found on this machine');

const run = (program: string, words: readonly string[], input = '') =>
  execFileSync(program, words, { input, encoding: 'utf8' }).trim();

/** The signature of a text, by openssl. */
const signed = (text: string, secret: string) =>
  run('openssl', ['dgst', '-sha256', '-hmac', secret], text).split(' ').at(-1) ?? '';

const greeting = 'Grüße 👋';

describe.skipIf(isMissing)('messaging-automation, from outside', () => {
  const served = runOffTerminal(['serve', '--port', '0', '--api-key', 'test_key', '--json']);
  let ready: { readonly url: string; readonly snippet: string };

  beforeAll(async () => {
    await served.printed(/\n/);
    ready = JSON.parse(served.output.split('\n')[0] ?? '');
  });

  afterAll(async () => {
    served.interrupt();
    await served.ended;
  });

  /** Posts JSON by curl, and gives the body of the response with its status. */
  function post(path: string, body: object): Readonly<Record<string, unknown>> {
    const headers = ['Authorization: Bearer test_key', 'Content-Type: application/json'];
    const words = ['-s', '-w', '\n%{http_code}', ...headers.flatMap((header) => ['-H', header])];
    const [text = '', status] = run('curl', [...words, '-d', JSON.stringify(body), ready.url + path]).split(
      '\n',
    );
    return { status, ...JSON.parse(text) };
  }

  test('POST /v1/webhooks: a delivery carries the signature that openssl computes over the received bytes', async () => {
    const { url, arrived, received } = await startReceiver();
    const created = post('/api/v1/webhooks', { url, events: ['message.received'] });
    expect(created).toEqual({
      status: '201',
      id: expect.any(String),
      url,
      events: ['message.received'],
      secret: expect.stringMatching(/^whsec_/),
      enabled: true,
      createdAt: expect.any(Number),
    });
    post('/control/inbound-messages', { phone: '+15551234567', body: greeting });
    await arrived(1);
    const body = String(received[0]?.body);
    expect(received[0]?.headers['x-service-signature']).toBe(signed(body, String(created.secret)));
    expect(JSON.parse(body)).toMatchObject({ data: { body: greeting } });
  });

  test('answers the snippet of its ready line, pasted into a shell', () => {
    expect(run('sh', ['-c', `${ready.snippet} -s`])).toContain('"id":"contact_');
  });

  test('diagnose takes the signature that openssl computes over what it reads', () => {
    const secret = ['--secret', 'whsec_example', '--signature', signed(greeting, 'whsec_example')];
    const diagnose = [...built, 'diagnose', '--body', '-', ...secret];
    expect(run(process.execPath, diagnose, greeting)).toBe('valid: the body is signed with the secret.');
  });
});
