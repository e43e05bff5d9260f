import { type Context, Hono } from 'hono';
import { signTestDelivery, toHonoHandler } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { secret } from '../../delivery-body.js';
import { ExecutionContext, recordingReceiver } from '../support/receiver.js';
import { signedRequest } from '../support/sent.js';

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

test('work that outlives the answer goes to executionCtx, which Hono throws for where there is none', async () => {
  const app = () =>
    new Hono().post('/webhooks', toHonoHandler(recordingReceiver({ acknowledge: 'after-claim' }).receiver));
  const context = new ExecutionContext();

  expect((await app().request(signedRequest(), {}, {}, context)).status).toBe(204);
  expect(context.work).toHaveLength(1);
  expect((await app().request(signedRequest())).status).toBe(204);
});
