import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { httpEvent } from '../webhooks/adapters/lambda/events.js';
import { messageDelivery } from '../webhooks/delivery-body.js';

const secret = 'whsec_example';
let printed: MockInstance<typeof console.log>;

beforeEach(() => {
  vi.stubEnv('WEBHOOK_SECRET', secret);
  printed = vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  vi.unstubAllEnvs();
  printed.mockRestore();
});

/** Sends an example a delivery of no signature and one that was signed. `send` gives the status. */
async function expectReceiver(send: (body: string, headers: Record<string, string>) => Promise<number>) {
  const body = JSON.stringify({ ...messageDelivery, timestamp: new Date().toISOString() });
  const headers = { 'Content-Type': 'application/json', [signatureHeader]: signWebhook(body, secret) };

  expect(await send(body, { ...headers, [signatureHeader]: '0'.repeat(64) })).toBe(401);
  expect(printed).not.toHaveBeenCalled();
  expect(await send(body, headers)).toBe(204);
  expect(printed.mock.calls).toEqual([[`${messageDelivery.data.contactId}: ${messageDelivery.data.body}`]]);
}

const requestOf = (body: string, headers: Record<string, string>) =>
  new Request('https://example.com/webhooks', { method: 'POST', body, headers });

test.each([
  ['bun', async () => (await import('../../examples/receivers/bun.js')).default.fetch],
  ['deno', async () => (await import('../../examples/receivers/deno.js')).default.fetch],
  ['nextjs-app', async () => (await import('../../examples/receivers/nextjs-app.js')).POST],
  [
    'sveltekit',
    async () => {
      const { POST } = await import('../../examples/receivers/sveltekit.js');
      return (request: Request) => POST({ request });
    },
  ],
  [
    'workers',
    async () => {
      const { default: worker } = await import('../../examples/receivers/workers.js');
      const context = { waitUntil: () => undefined };
      return (request: Request) => worker.fetch(request, { WEBHOOK_SECRET: secret }, context);
    },
  ],
] satisfies [string, () => Promise<(request: Request) => Promise<Response>>][])(
  'the %s example handles what was signed and refuses the rest',
  async (_, load) => {
    const handle = await load();

    await expectReceiver(async (body, headers) => (await handle(requestOf(body, headers))).status);
  },
);

test('the lambda example handles what was signed and refuses the rest', async () => {
  const { handler } = await import('../../examples/receivers/lambda.js');

  await expectReceiver(async (body, headers) => (await handler(httpEvent({ body, headers }))).statusCode);
});

test('the nextjs-pages example handles what was signed and refuses the rest', async () => {
  const route = await import('../../examples/receivers/nextjs-pages.js');
  expect(route.config).toEqual({ api: { bodyParser: false } });
  const server = createServer(route.default);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has no other kind of address

  await expectReceiver(async (body, headers) => {
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
  });
  server.close();
});
