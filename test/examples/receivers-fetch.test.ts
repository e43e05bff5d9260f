import { beforeEach, expect, test, vi } from 'vitest';
import { serveRequests } from '../cli/http-servers.js';
import { httpEvent } from '../webhooks/adapters/lambda/events.js';
import { expectReceiver, printed, secret } from './receiver-example.js';

beforeEach(() => {
  vi.stubEnv('WEBHOOK_SECRET', secret);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  return () => {
    expect(log.mock.calls).toEqual([[printed]]);
    log.mockRestore();
    vi.unstubAllEnvs();
  };
});

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
  const url = await serveRequests(route.default);

  await expectReceiver(async (body, headers) => {
    return (await fetch(url, { method: 'POST', body, headers })).status;
  });
});
