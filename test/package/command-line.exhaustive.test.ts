import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryFile } from '../repository.js';

/**
 * The built command, asked with curl and checked with openssl: programs that share no code with this package.
 * Expectations are written out as the document has them.
 */
const needed = ['curl', 'openssl'];
const missing = needed.filter((program) => {
  try {
    execFileSync(program, [program === 'curl' ? '--version' : 'version']);
    return false;
  } catch {
    return true;
  }
});
if (missing.length > 0)
  process.emitWarning(`NOT RUN: ${missing.join(' and ')} cannot be found on this machine`);

interface Ready {
  readonly url: string;
  readonly baseUrl: string;
  readonly snippet: string;
}

interface Delivery {
  readonly signature: string;
  readonly body: Buffer;
}

describe.runIf(missing.length === 0)('messaging-automation serve, from outside', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const served = spawn(
    process.execPath,
    [repositoryFile('dist/cli.js'), 'serve', '--port', '0', '--api-key', 'test_key', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let ready: Ready;
  let announce: (delivery: Delivery) => void = () => {};
  const delivered = new Promise<Delivery>((resolve) => {
    announce = resolve;
  });
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    announce({ signature: String(request.headers['x-service-signature']), body });
    response.writeHead(204).end();
  });

  beforeAll(async () => {
    for await (const line of createInterface({ input: served.stdout })) {
      ready = JSON.parse(line);
      break;
    }
    served.stdout.resume();
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    served.kill('SIGKILL');
    receiver.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs curl and gives the answer's status and body. */
  function curl(method: string, path: string, body?: object): { status: number; body: unknown } {
    const words = ['-s', '-X', method, '-w', '\n%{http_code}', '-H', 'Authorization: Bearer test_key'];
    if (body !== undefined) words.push('-H', 'Content-Type: application/json', '-d', JSON.stringify(body));
    const printed = execFileSync('curl', [...words, ready.url + path], { encoding: 'utf8' });
    const status = Number(printed.slice(printed.lastIndexOf('\n') + 1));
    const text = printed.slice(0, printed.lastIndexOf('\n'));
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  }

  const phone = '+15551234567';

  it('POST /v1/webhooks: a delivery carries the signature that openssl computes over the received bytes', async () => {
    const address = receiver.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = `http://127.0.0.1:${port}/hooks`;
    const created = curl('POST', '/api/v1/webhooks', { url, events: ['message.received'] });
    expect(created).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        url,
        events: ['message.received'],
        secret: expect.stringMatching(/^whsec_/),
        enabled: true,
        createdAt: expect.any(Number),
      },
    });
    const { secret } = created.body as { secret: string };
    curl('POST', '/control/inbound-messages', { phone, body: 'Grüße 👋' });
    const { signature, body } = await delivered;
    const file = join(folder, 'body');
    writeFileSync(file, body);
    const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, file], { encoding: 'utf8' });
    expect(printed.trim().split(' ').at(-1)).toBe(signature);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ data: { body: 'Grüße 👋' } });
  });

  it('answers the snippet of its ready line, pasted into a shell', () => {
    expect(execFileSync('sh', ['-c', `${ready.snippet} -s`], { encoding: 'utf8' })).toContain(
      '"id":"contact_',
    );
  });

  it('diagnose takes the signature that openssl computes over what it reads', () => {
    const body = 'Grüße 👋';
    const sign = ['dgst', '-sha256', '-hmac', 'whsec_example'];
    const printed = execFileSync('openssl', sign, { input: body, encoding: 'utf8' });
    const words = ['diagnose', '--body', '-', '--signature', printed.trim().split(' ').at(-1) ?? ''];
    const said = execFileSync(process.execPath, [repositoryFile('dist/cli.js'), ...words], {
      input: body,
      env: { ...process.env, WEBHOOK_SECRET: 'whsec_example' },
      encoding: 'utf8',
    });
    expect(said).toBe('valid: the body is signed with the secret.\n');
  });
});
