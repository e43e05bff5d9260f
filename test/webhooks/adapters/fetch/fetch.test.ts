import { type Context, Hono } from 'hono';
import {
  signatureHeader,
  signTestDelivery,
  signWebhook,
  toFetchHandler,
  toHonoHandler,
  UnreadableBodyError,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../server/support/manual-clock.js';
import { withResolvers } from '../../../waiting.js';
import { messageBody, secret } from '../../delivery-body.js';
import { settled, storeWith } from '../../receiver/receive.js';
import { ExecutionContext, recordingReceiver } from '../support/receiver.js';
import { signedRequest } from '../support/sent.js';

/** A handler, and what its receiver told of failures and refusals. */
function handlerWith(options?: Partial<WebhookReceiverOptions<Request>>) {
  const { receiver, told } = recordingReceiver(options);
  return { handle: toFetchHandler(receiver), told };
}

describe('a body that cannot be read', () => {
  test('is being read: the error names the fix', async () => {
    const { handle, told } = handlerWith();
    const locked = signedRequest();
    locked.body?.getReader();

    expect((await handle(locked)).status).toBe(500);
    expect(told).toMatchObject([{ reason: 'consumed', message: expect.stringContaining('request.clone()') }]);
    expect(told[0]).toBeInstanceOf(UnreadableBodyError);
  });

  test('a request of which only a copy was read is fine', async () => {
    const { handle } = handlerWith();
    const request = signedRequest();
    await request.clone().json();

    expect((await handle(request)).status).toBe(204);
  });

  test('goes on beyond the limit: the rest is cancelled, and a sender that never lets go holds up nothing', async () => {
    const { handle, told } = handlerWith({ maxBodyBytes: 10 });
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(6)),
      cancel: () => {
        cancelled = true;
        return new Promise(() => undefined);
      },
    });

    expect((await handle(signedRequest(body))).status).toBe(413);
    expect(cancelled).toBe(true);
    expect(told).toMatchObject([{ reason: 'too_large' }]);
  });

  test.each([
    ['of a limit of SvelteKit', { status: 413 }, 413, 'BODY_SIZE_LIMIT'],
    ['its sender breaks off', {}, 400, 'The sender disconnected'],
  ])('ends with an error because %s', async (_, cause, status, message) => {
    const { handle, told } = handlerWith();
    const start = (controller: ReadableStreamDefaultController) =>
      controller.error(
        Object.assign(new Error('Content-length of 600000 exceeds limit of 524288 bytes.'), cause),
      );

    expect((await handle(signedRequest(new ReadableStream({ start })))).status).toBe(status);
    expect(told).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  test('stalls until the time is up: it is cancelled, and what came of it is not looked at', async () => {
    const clock = new ManualClock();
    const begun = withResolvers();
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(messageBody)), // and no end
      pull: () => begun.resolve(),
      cancel: () => {
        cancelled = true;
      },
    });
    const { handle, told } = handlerWith({ clock });
    const response = handle(signedRequest(body));
    await begun.promise;
    await settled(); // a timer is set only once what waits for promises alone had its turns
    clock.pass(4_500);

    expect((await response).status).toBe(503);
    expect(cancelled).toBe(true);
    expect(told).toHaveLength(1);
  });
});

/** The receiver responds with 204 and repeats the commit, which is work after the response. */
const storeThatCannotRecord = storeWith({ commit: () => Promise.reject(new Error('down')) });

describe('work that outlives the response', () => {
  test.each([
    ['(request, env, context), as Workers call', (context: unknown) => [{ SECRET: secret }, context]],
    ['(request, context), as others call', (context: unknown) => [context]],
    ['the last, if several have one', (context: unknown) => [{ waitUntil: expect.unreachable }, context]],
  ])('is given to waitUntil: %s', async (_, platform) => {
    const { handle } = handlerWith({ dedupe: storeThatCannotRecord });
    const context = new ExecutionContext();

    expect((await handle(signedRequest(), ...platform(context))).status).toBe(204);
    expect(context.work).toHaveLength(1);
  });

  test.each([
    ['nothing', []],
    ['what has no waitUntil', [{ params: Promise.resolve({}) }, null, 'text']],
  ])('continues if the platform passes %s', async (_, platform) => {
    const { handle } = handlerWith({ dedupe: storeThatCannotRecord });

    expect((await handle(signedRequest(), ...platform)).status).toBe(204);
  });
});

test('the response has the headers of the receiver', async () => {
  const response = await handlerWith().handle(new Request('https://example.com/webhooks'));

  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
});

test('a request without a body is refused as no JSON, though it is signed', async () => {
  const headers = { [signatureHeader]: signWebhook('', secret) };
  const request = new Request('https://example.com/webhooks', { method: 'POST', headers });

  expect((await handlerWith().handle(request)).status).toBe(400);
});

test('an event in place of a request is a fault of the set-up, and the error names the fix', async () => {
  const { handle } = handlerWith();
  // What SvelteKit would pass, against the types.
  const event = { request: signedRequest() } as unknown as Request;

  await expect(handle(event)).rejects.toThrow(/\(\{ request \}\) => handle\(request\)/);
});

test("the secret and the handlers are given Hono's context", async () => {
  const seen: string[] = [];
  const { receiver } = recordingReceiver<Context>({
    secret: (context) => (context.req.param('subscription') === 'shop' ? secret : undefined),
  });
  receiver.on('message.received', (_, { request }) => seen.push(request.req.path));
  const app = new Hono().all('/:subscription/webhooks', toHonoHandler(receiver));
  const { body, headers } = signTestDelivery({ secret });
  const statusAt = async (path: string) =>
    (await app.request(path, { method: 'POST', body, headers })).status;

  expect(await statusAt('/shop/webhooks')).toBe(204);
  expect(await statusAt('/other/webhooks')).toBe(401);
  expect(seen).toEqual(['/shop/webhooks']);
});

test('work that outlives the response goes to executionCtx, which Hono throws for where there is none', async () => {
  const app = () =>
    new Hono().post(
      '/webhooks',
      toHonoHandler(recordingReceiver({ dedupe: storeThatCannotRecord }).receiver),
    );
  const context = new ExecutionContext();

  expect((await app().request(signedRequest(), {}, {}, context)).status).toBe(204);
  expect(context.work).toHaveLength(1);
  expect((await app().request(signedRequest())).status).toBe(204);
});
