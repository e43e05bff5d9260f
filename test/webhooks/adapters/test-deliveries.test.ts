import { Hono } from 'hono';
import {
  createWebhookReceiver,
  type LambdaCaller,
  type ReceiverCore,
  signTestDelivery,
  type TestDelivery,
  toFetchHandler,
  toHonoHandler,
  toLambdaHandler,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { clockAt, secret } from '../delivery-body.js';

/** What an adapter answered in its framework. */
interface Answered {
  readonly status: number;
  readonly headers: object;
}

/** Sends a delivery through an adapter, in the form that the adapter's framework has. */
type Send = (delivery: TestDelivery) => Promise<Answered>;

const forms: Readonly<Record<string, (receiver: ReceiverCore<unknown>) => Send>> = {
  'toRequest, Fetch': (receiver) => async (delivery) =>
    ofResponse(await toFetchHandler(receiver)(delivery.toRequest())),
  'toRequest, Hono': (receiver) => async (delivery) =>
    ofResponse(await new Hono().all('/webhooks', toHonoHandler(receiver)).request(delivery.toRequest())),
  'toLambdaEvent, v1': (receiver) => answeredByLambda(receiver, 'v1', false),
  'toLambdaEvent, v1, base64': (receiver) => answeredByLambda(receiver, 'v1', true),
  'toLambdaEvent, v2': (receiver) => answeredByLambda(receiver, 'v2', false),
  'toLambdaEvent, v2, base64': (receiver) => answeredByLambda(receiver, 'v2', true),
  'toLambdaEvent, alb': (receiver) => answeredByLambda(receiver, 'alb', false),
  'toLambdaEvent, alb, base64': (receiver) => answeredByLambda(receiver, 'alb', true),
};

function ofResponse({ status, headers }: Response): Answered {
  return { status, headers: Object.fromEntries(headers) };
}

function answeredByLambda(receiver: ReceiverCore<unknown>, caller: LambdaCaller, base64: boolean): Send {
  return async (delivery) => {
    const event = delivery.toLambdaEvent(caller, { base64 });
    const { statusCode, headers = {} } = await toLambdaHandler(receiver)(event);
    return { status: statusCode, headers };
  };
}

describe.each(Object.entries(forms))('%s', (_, through) => {
  const text = 'Grüße \u{1F44B}';
  const delivery = signTestDelivery({ secret, clock: clockAt(), data: { body: text } });

  function opened() {
    const handled: unknown[] = [];
    const told: unknown[] = [];
    const receiver = createWebhookReceiver({
      secret,
      clock: { ...clockAt(), setTimer: () => () => undefined },
      onUnknownEvent: (event) => handled.push(event.event),
      onRefused: (error) => told.push('reason' in error ? error.reason : error),
      onError: (error) => told.push(error),
    }).on('message.received', (event) => handled.push(event.data.body));
    return { receiver, send: through(receiver), handled, told };
  }

  test.each<[string, TestDelivery, number, readonly string[], readonly string[]]>([
    ['as it is', delivery, 204, [text], []],
    ['tampered', delivery.tampered(), 401, [], ['signature_mismatch']],
    ['wrongSecret', delivery.wrongSecret(), 401, [], ['signature_mismatch']],
    ['unsigned', delivery.unsigned(), 401, [], ['missing_signature']],
    ['late', delivery.late(), 400, [], ['too_old']],
    ['early', delivery.early(), 400, [], ['too_new']],
    ['unknownType', delivery.unknownType(), 204, ['contact.of_the_future'], []],
  ])('%s is answered as the receiver answers, and so is its duplicate', async (_, sent, status, ...seen) => {
    const { send, handled, told } = opened();

    expect((await send(sent)).status).toBe(status);
    expect([handled, told]).toEqual(seen);
    expect((await send(sent.duplicate())).status).toBe(status);
    expect(handled).toEqual(seen[0]);
  });

  test('is answered 503 while the receiver drains, with the time to wait before the next attempt', async () => {
    const { receiver, send, handled } = opened();
    await receiver.drain();
    const { status, headers } = await send(delivery);
    const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');

    expect([status, retryAfter?.[1], handled]).toEqual([503, '5', []]);
  });
});
