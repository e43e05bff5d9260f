import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
import { afterEach, expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { messageDelivery } from '../webhooks/delivery-body.js';

const secret = 'whsec_example';
let running: ChildProcessWithoutNullStreams | undefined;

afterEach(() => {
  running?.kill();
  running = undefined;
});

/** Starts an example as its first line says, on a free port, and gives its address and the lines that follow. */
async function start(name: string) {
  const program = spawn(
    process.execPath,
    ['--import', 'tsx', repositoryFile(`examples/receivers/${name}.ts`)],
    {
      cwd: repositoryFile('.'),
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
    },
  );
  running = program;
  let complaints = '';
  program.stderr.on('data', (text) => {
    complaints += text;
  });
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  const { value: ready } = await lines.next();
  if (ready === undefined) throw new Error(`The example ended: ${complaints}`);
  return { url: String(ready).replace('Listening on ', ''), lines };
}

test.each(['node-http', 'express', 'fastify', 'koa', 'nestjs', 'hono'])(
  'the %s example handles what was signed and refuses the rest',
  async (name) => {
    const { url, lines } = await start(name);
    const body = JSON.stringify({ ...messageDelivery, timestamp: new Date().toISOString() });
    const send = async (signature: string) => {
      const headers = { 'Content-Type': 'application/json', [signatureHeader]: signature };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };

    expect(await send('0'.repeat(64))).toBe(401);
    expect(await send(signWebhook(body, secret))).toBe(204);
    expect((await lines.next()).value).toBe(
      `${messageDelivery.data.contactId}: ${messageDelivery.data.body}`,
    );
  },
);
