import { type Context, Hono } from 'hono';
import {
  createWebhookReceiver,
  signatureHeader,
  signWebhook,
  toHonoHandler,
} from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { messageBody, secret } from '../../delivery-body.js';

const signed = () => ({
  method: 'POST',
  body: messageBody,
  headers: { [signatureHeader]: signWebhook(messageBody, secret) },
});

/** As in Workers, where `waitUntil` throws unless it is called on its owner. */
class ExecutionContext {
  readonly #work: Promise<unknown>[] = [];
  readonly props = {};
  waitUntil(work: Promise<unknown>): void {
    this.#work.push(work);
  }
  passThroughOnException(): void {}
  get work() {
    return this.#work;
  }
}

test("the secret and the handlers are given Hono's context", async () => {
  const seen: string[] = [];
  const receiver = createWebhookReceiver<Context>({
    secret: (context) => (context.req.param('subscription') === 'shop' ? secret : undefined),
    tolerance: false,
    onRefused: () => undefined,
  });
  receiver.on('message.received', (_, { request }) => seen.push(request.req.path));
  const app = new Hono().all('/webhooks/:subscription', toHonoHandler(receiver));

  expect((await app.request('/webhooks/shop', signed())).status).toBe(204);
  expect((await app.request('/webhooks/other', signed())).status).toBe(401);
  expect(seen).toEqual(['/webhooks/shop']);
});

test('work that outlives the answer goes to executionCtx, which Hono throws for where there is none', async () => {
  const receiver = createWebhookReceiver({
    secret,
    tolerance: false,
    acknowledge: 'after-claim',
  }).on('message.received', () => undefined);
  const app = new Hono().post('/webhooks', toHonoHandler(receiver));
  const context = new ExecutionContext();

  expect((await app.request('/webhooks', signed(), {}, context)).status).toBe(204);
  expect(context.work).toHaveLength(1);

  const again = createWebhookReceiver({ secret, tolerance: false, acknowledge: 'after-claim' });
  again.on('message.received', () => undefined);
  const without = new Hono().post('/webhooks', toHonoHandler(again));
  expect((await without.request('/webhooks', signed())).status).toBe(204);
});
