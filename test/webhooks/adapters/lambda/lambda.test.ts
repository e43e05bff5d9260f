import {
  signatureHeader,
  signWebhook,
  toLambdaHandler,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withResolvers } from '../../../waiting.js';
import { messageBody, secret } from '../../delivery-body.js';
import { recordingReceiver } from '../support/receiver.js';
import { balancerEvent, httpEvent, multiValueBalancerEvent, restEvent, senders } from './events.js';

function handlerWith(options: Partial<WebhookReceiverOptions> = {}) {
  const { receiver, told } = recordingReceiver(options);
  return { receiver, handle: toLambdaHandler(receiver), told };
}

const headers = { [signatureHeader]: signWebhook(messageBody, secret) };
const signed = { body: messageBody, headers };
const base64 = Buffer.from(messageBody).toString('base64');

test.each([
  ['REST API', restEvent, { headers: { Allow: 'POST' } }],
  ['HTTP API', httpEvent, { headers: { Allow: 'POST' } }],
  ['ALB', balancerEvent, { headers: { Allow: 'POST' } }],
  ['ALB, multi-value', multiValueBalancerEvent, { multiValueHeaders: { Allow: ['POST'] } }],
])('each sender gets a response in its form: %s', async (_, toEvent, form) => {
  const { handle } = handlerWith();

  expect(await handle(toEvent({ method: 'GET' }))).toEqual({
    statusCode: 405,
    body: '',
    isBase64Encoded: false,
    ...form,
  });
});

describe.each(Object.entries(senders))('a body from %s', (_, toEvent) => {
  test('that is absent', async () => {
    const { handle } = handlerWith();

    expect((await handle(toEvent({ headers }))).statusCode).toBe(401);
    expect(
      (await handle(toEvent({ headers: { [signatureHeader]: signWebhook('', secret) } }))).statusCode,
    ).toBe(
      400, // rightly signed, but no JSON
    );
  });

  test('whose base64 flag is wrong is never guessed right', async () => {
    const { handle, told } = handlerWith();

    expect((await handle(toEvent({ headers, body: base64, isBase64Encoded: false }))).statusCode).toBe(401);
    expect(told).toMatchObject([{ reason: 'signature_mismatch' }]);
    expect((await handle(toEvent({ headers, body: messageBody, isBase64Encoded: true }))).statusCode).toBe(
      500,
    );
    expect(told[1]).toMatchObject({ reason: 'parsed', message: expect.stringContaining('not') });
  });

  test('that is as large as allowed, and one byte larger', async () => {
    const { length } = Buffer.from(messageBody);
    const exact = handlerWith({ maxBodyBytes: length });
    const short = handlerWith({ maxBodyBytes: length - 1 });
    for (const event of [toEvent(signed), toEvent({ headers, body: base64, isBase64Encoded: true })]) {
      expect((await short.handle(event)).statusCode).toBe(413);
      expect((await exact.handle(event)).statusCode).toBe(204);
    }
  });
});

test('two signatures are refused, except from a load balancer that passes on the last one alone', async () => {
  const twice = ['0'.repeat(64), signWebhook(messageBody, secret)];
  const statuses = Object.entries(senders).map(async ([sender, toEvent]) => {
    const event = toEvent({ body: messageBody, headers: { [signatureHeader]: twice } });
    return [sender, (await handlerWith().handle(event)).statusCode];
  });

  expect(Object.fromEntries(await Promise.all(statuses))).toEqual({
    'REST API': 401,
    'HTTP API': 401,
    ALB: 204,
    'ALB, multi-value': 401,
    Netlify: 401,
  });
});

describe("the function's own timeout", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const context = (remaining: number) => ({ getRemainingTimeInMillis: () => remaining });
  const never = () => new Promise<void>(() => undefined);

  test('ends the wait for work that is not done, with a 503', async () => {
    const { receiver, handle } = handlerWith();
    receiver.on('message.received', never);
    const responded = vi.fn();
    const response = handle(httpEvent(signed), context(3_000)).finally(responded);

    await vi.advanceTimersByTimeAsync(2_749);
    expect(responded).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await response).statusCode).toBe(503);
  });

  test('that is farther off than the deadline lets a slow handler end, so that its work is not frozen', async () => {
    const { receiver, handle } = handlerWith({ deadline: 1_000 });
    const handling = withResolvers();
    receiver.on('message.received', () => handling.promise);
    const response = handle(httpEvent(signed), context(10_000));
    await vi.advanceTimersByTimeAsync(5_000);
    handling.resolve();

    expect((await response).statusCode).toBe(503);
    expect((await handle(httpEvent(signed), context(10_000))).statusCode).toBe(204); // by then it was handled
  });
});

test('an event that is no HTTP request is a fault of the set-up', async () => {
  const { handle } = handlerWith();

  await expect(handle({})).rejects.toThrow(/proxy integration/);
});

test("the console's test button sends no headers", async () => {
  const { handle } = handlerWith();

  expect(
    (await handle({ httpMethod: 'POST', headers: null, multiValueHeaders: null, body: null })).statusCode,
  ).toBe(401);
});
