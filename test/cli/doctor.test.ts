import type { RequestListener } from 'node:http';
import { createWebhookReceiver, toNodeHandler, type WebhookEvent } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/foundation/clock.js';
import { type Behaviour, reply, startReceiver } from '../server/support/receiver.js';
import type { TerminalOptions } from './fake-terminal.js';
import { nowhere, serveRequests, serveResponse } from './http-servers.js';
import { runCommand, serve, temporaryFile } from './served.js';

const secret = 'whsec_of_the_test';
const env = { MESSAGING_AUTOMATION_API_KEY: 'test_key', WEBHOOK_SECRET: secret };

/** Runs the command, and reads its JSON as the verdict of each check. */
async function doctor(url: string, words: readonly string[] = [], options: TerminalOptions = {}) {
  const all = ['doctor', '--url', url, '--json', ...words];
  const { exitCode, lines } = await runCommand(all, { env, ...options });
  const findings: Readonly<Record<'check' | 'verdict' | 'seen', string>>[] = lines.map((line) =>
    JSON.parse(line),
  );
  return { exitCode, findings, lines };
}

/** A receiver that verifies, and the events that it took. */
async function verifyingReceiver() {
  const events: WebhookEvent[] = [];
  const receiver = createWebhookReceiver({ secret, onRefused: () => {} })
    .on('message.received', (event) => void events.push(event))
    .on('contact.opted_in', (event) => void events.push(event));
  return { events, url: await serveRequests(toNodeHandler(receiver)) };
}

const reference = ['base URL', 'key', 'subscriptions', 'clock', 'server'];

describe('doctor, at a deployment', () => {
  test('finds nothing wrong at a reference server, and says what it is', async () => {
    const { url } = await serve();
    const { exitCode, findings } = await doctor(url);
    expect(exitCode).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(reference);
    expect(findings.map(({ verdict }) => verdict)).toEqual(['well', 'well', 'well', 'well', 'note']);
    const { output } = await runCommand(['doctor', '--url', url], { env });
    expect(output).toContain('✓ key             accepted\n');
  });

  test('says that a key is refused', async () => {
    const { url } = await serve();
    const { exitCode, findings } = await doctor(url, ['--api-key', 'another_key']);
    expect(exitCode).toBe(1);
    expect(findings).toContainEqual({
      check: 'key',
      verdict: 'wrong',
      seen: '401 application/json; charset=utf-8',
      remedy: expect.stringMatching(/key/i),
    });
  });

  const html: RequestListener = (_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>\u001b[31m</h1>');
  const moved: RequestListener = (_, response) =>
    response.writeHead(302, { Location: 'https://elsewhere.example/test_key' }).end();
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const write = () => {
      while (!response.destroyed && response.write('[1,'.repeat(10_000)));
    };
    response.on('drain', write);
    write();
  };

  test.each([
    ['a page', html, '200 text/html'],
    ['a redirect, which it does not follow', moved, '302 https://elsewhere.example/***'],
    ['a response without an end', endless, '200 application/json'],
    ['a status of a proxy', (_, response) => response.writeHead(502).end(), '502'],
  ] satisfies [string, RequestListener, string][])('names %s', async (_, listener, seen) => {
    const { exitCode, findings, lines } = await doctor(await serveRequests(listener));
    expect(exitCode).toBe(1);
    expect(findings).toContainEqual(expect.objectContaining({ check: 'response', verdict: 'wrong', seen }));
    expect(lines.join('')).not.toContain('\u001b');
    expect(lines.join('')).not.toContain('test_key');
  });

  test('names a URL at which nothing responds, and looks no further', async () => {
    const { exitCode, findings } = await doctor(await nowhere());
    expect(exitCode).toBe(1);
    expect(findings).toMatchObject([
      { check: 'base URL' },
      { check: 'connection', verdict: 'wrong', seen: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  test('notes a base URL that does not end in /api', async () => {
    const url = await serveResponse(200, 'application/json', '[]');
    const { exitCode, findings } = await doctor(`${url}/gateway`);
    expect(exitCode).toBe(0);
    expect(findings[0]).toMatchObject({ check: 'base URL', verdict: 'note' });
  });

  test.each([
    ['ahead of', 40_000],
    ['behind', -40_000],
  ])('says that the clock of this machine is %s that of the service', async (direction, by) => {
    const url = await serveResponse(200, 'application/json', '[]');
    const clock = { ...systemClock, now: () => systemClock.now() + by };
    const { exitCode, findings } = await doctor(url, [], { clock });
    expect(exitCode).toBe(1);
    const seen = expect.stringMatching(new RegExp(`^(39|4\\d) s ${direction} `));
    expect(findings).toContainEqual(expect.objectContaining({ check: 'clock', verdict: 'wrong', seen }));
  });

  test('names each subscription that gets nothing, gets it in clear text, or gets it twice', async () => {
    const fields = { events: ['message.received'], enabled: true, createdAt: 1 };
    const subscriptions = [
      { ...fields, id: 'one', url: 'https://app.example.com/hooks' },
      { ...fields, id: 'two', url: 'https://app.example.com/hooks' },
      { ...fields, id: 'three', url: 'https://app.example.com/other', enabled: false },
      { ...fields, id: 'four', url: 'http://app.example.com/clear' },
      { ...fields, id: 'five', url: 'http://localhost:3000/' },
    ];
    const url = await serveResponse(200, 'application/json', JSON.stringify(subscriptions));
    const { exitCode, findings } = await doctor(url);
    expect(exitCode).toBe(1);
    const seen = findings
      .filter(({ check }) => check === 'subscriptions')
      .map((each) => each.verdict + each.seen);
    expect(seen).toEqual([
      'well5',
      expect.stringMatching(/^wrongtwo is another one for https/),
      'wrongthree is disabled',
      expect.stringMatching(/^wrongfour delivers in clear text/),
      expect.stringMatching(/^notefive delivers to http:\/\/localhost/),
    ]);
  });
});

describe('doctor --receiver', () => {
  const service = () => serveResponse(200, 'application/json', '[]');
  const ofReceiver = ['receiver', 'forged delivery'];

  /** The verdicts on a receiver. */
  async function verdicts(receiver: string, ...words: readonly string[]) {
    const { exitCode, findings, lines } = await doctor(await service(), ['--receiver', receiver, ...words]);
    const found = findings.filter(({ check }) => ofReceiver.includes(check));
    return { exitCode, verdicts: found.map(({ verdict, seen }) => `${verdict}: ${seen}`), lines };
  }

  test('finds nothing wrong at a receiver that verifies, whose handlers see nothing of it', async () => {
    const { url, events } = await verifyingReceiver();
    expect(await verdicts(url)).toMatchObject({
      exitCode: 0,
      verdicts: ['well: responds with 204 to a signed delivery', 'well: responds with 401'],
    });
    expect(events).toEqual([]);
  });

  test('reads the secret from a file, whose last line may end with a newline', async () => {
    const { url } = await verifyingReceiver();
    const file = await temporaryFile('secret', `${secret}\n`);
    expect(await verdicts(url, '--secret-file', file)).toMatchObject({ exitCode: 0 });
    const other = await temporaryFile('other', 'whsec_other');
    const { exitCode, verdicts: found, lines } = await verdicts(url, '--secret-file', other);
    expect({ exitCode, found }).toEqual({
      exitCode: 1,
      found: ['wrong: the receiver responded with 401', 'well: responds with 401'],
    });
    expect(lines.join('')).not.toMatch(/whsec_\w/);
  });

  test('says that a receiver accepts a forged delivery', async () => {
    const receiver = await startReceiver(reply(200));
    expect(await verdicts(receiver.url)).toMatchObject({
      exitCode: 1,
      verdicts: [
        'well: responds with 200 to a signed delivery',
        'wrong: it responds with 200: it does not verify signatures',
      ],
    });
    const [signed, forged] = receiver.received.map(({ headers }) => headers['x-service-signature']);
    expect(signed).not.toBe(forged);
    expect(receiver.received).toHaveLength(2);
  });

  const forgedMet: readonly [string, Behaviour, string, number][] = [
    ['fails for a forged delivery', reply(500), 'wrong: the receiver responded with 500', 2],
    [
      'redirects a forged delivery',
      (response) => void response.writeHead(307, { Location: '/' }).end(),
      'wrong: the receiver responded with 307',
      2,
    ],
    // The connection is the kept one of the signed delivery, so the request comes again on a fresh one.
    ['breaks off at a forged delivery', (response) => void response.destroy(), 'wrong: no response: ', 3],
  ];
  test.each(forgedMet)('says that a receiver %s', async (_, behaviour, forged, requests) => {
    const receiver = await startReceiver(reply(204), behaviour);
    expect(await verdicts(receiver.url)).toMatchObject({
      exitCode: 1,
      verdicts: ['well: responds with 204 to a signed delivery', expect.stringContaining(forged)],
    });
    expect(receiver.received).toHaveLength(requests);
  });

  test('says that nothing responds at the receiver, and sends no forged delivery', async () => {
    expect(await verdicts(await nowhere())).toMatchObject({
      exitCode: 1,
      verdicts: [expect.stringMatching(/^wrong: no response: connect ECONNREFUSED/)],
    });
  });
});
