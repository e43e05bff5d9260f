import { Hono } from 'hono';
import {
  createWebhookReceiver,
  type LambdaCaller,
  type ReceiverCore,
  signTestDelivery,
  type TestDelivery,
  toFastifyHandler,
  toFetchHandler,
  toHonoHandler,
  toKoaMiddleware,
  toLambdaHandler,
  toNextPagesHandler,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { clockAt, secret } from '../delivery-body.js';

/** What an adapter answered in its framework. */
interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a delivery through an adapter, in the form that the adapter's framework has. */
type Send = (delivery: TestDelivery) => Promise<Answered>;

const forms: Readonly<Record<string, (receiver: ReceiverCore<unknown>) => Send>> = {
  'toRequest, Fetch': (receiver) => async (delivery) =>
    ofResponse(await toFetchHandler(receiver)(delivery.toRequest())),
  'toRequest, Hono': (receiver) => async (delivery) =>
    ofResponse(await new Hono().all('/webhooks', toHonoHandler(receiver)).request(delivery.toRequest())),
  'toNodeRequest, node:http': (receiver) =>
    answeredBy(toNodeHandler(receiver), (delivery) => delivery.toNodeRequest()),
  'toNodeRequest, Next.js pages': (receiver) =>
    answeredBy(toNextPagesHandler(receiver), (delivery) => delivery.toNodeRequest()),
  'toNodeRequest, Koa': (receiver) => async (delivery) => {
    const req = delivery.toNodeRequest();
    const headers: Record<string, string> = {};
    const set = (more: object) => void Object.assign(headers, more);
    const context = { req, request: req, headerSent: false, writable: true, status: 404, body: '', set };
    await toKoaMiddleware(receiver)(context);
    return { status: context.status, headers };
  },
  toExpressRequest: (receiver) =>
    answeredBy(toNodeHandler(receiver), (delivery) => delivery.toExpressRequest()),
  toFastifyRequest: (receiver) => async (delivery) => {
    const reply = new Reply();
    await toFastifyHandler(receiver)(delivery.toFastifyRequest(), reply);
    return { status: reply.sent ? reply.status : 0, headers: reply.sentHeaders };
  },
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

function answeredBy<Request>(
  handle: (request: Request, response: Answer) => Promise<void>,
  form: (delivery: TestDelivery) => Request,
): Send {
  return async (delivery) => {
    const answer = new Answer();
    await handle(form(delivery), answer);
    return { status: answer.headersSent ? answer.statusCode : 0, headers: answer.headers };
  };
}

function answeredByLambda(receiver: ReceiverCore<unknown>, caller: LambdaCaller, base64: boolean): Send {
  return async (delivery) => {
    const event = delivery.toLambdaEvent(caller, { base64 });
    const { statusCode, headers = {} } = await toLambdaHandler(receiver)(event);
    return { status: statusCode, headers };
  };
}

class Answer {
  statusCode = 200;
  headersSent = false;
  readonly destroyed = false;
  readonly headers: Record<string, string> = {};
  setHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  end(): void {
    this.headersSent = true;
  }
}

class Reply {
  status = 200;
  sent = false;
  readonly sentHeaders: Record<string, string> = {};
  code(status: number): void {
    this.status = status;
  }
  headers(headers: object): void {
    Object.assign(this.sentHeaders, headers);
  }
  send(): void {
    this.sent = true;
  }
}

describe.each(Object.entries(forms))('%s', (_, through) => {
  const delivery = signTestDelivery({ secret, clock: clockAt(), data: { body: 'Grüße \u{1F44B}' } });

  function opened() {
    const handled: unknown[] = [];
    const refused: string[] = [];
    const failures: unknown[] = [];
    const receiver = createWebhookReceiver({
      secret,
      clock: { ...clockAt(), setTimer: () => () => undefined },
      onUnknownEvent: (event) => handled.push(event.event),
      onRefused: (error) => refused.push('reason' in error ? error.reason : ''),
      onError: (error) => failures.push(error),
    }).on('message.received', (event) => handled.push(event.data.body));
    const send = through(receiver);
    const statusOf = async (sent: TestDelivery) => (await send(sent)).status;
    return { receiver, send, statusOf, handled, refused, failures };
  }

  test('is handled', async () => {
    const { statusOf, handled, refused, failures } = opened();

    expect(await statusOf(delivery)).toBe(204);
    expect([handled, refused, failures]).toEqual([['Grüße \u{1F44B}'], [], []]);
  });

  test.each([
    ['tampered', 401, 'signature_mismatch'],
    ['wrongSecret', 401, 'signature_mismatch'],
    ['unsigned', 401, 'missing_signature'],
    ['late', 400, 'too_old'],
    ['early', 400, 'too_new'],
  ] as const)('%s is refused', async (variant, status, reason) => {
    const { statusOf, handled, refused, failures } = opened();

    expect(await statusOf(delivery[variant]())).toBe(status);
    expect([handled, refused, failures]).toEqual([[], [reason], []]);
  });

  test('duplicate is acknowledged, and handled once', async () => {
    const { statusOf, handled } = opened();

    expect(await statusOf(delivery)).toBe(204);
    expect(await statusOf(delivery.duplicate())).toBe(204);
    expect(handled).toHaveLength(1);
  });

  test('unknownType is acknowledged', async () => {
    const { statusOf, handled, refused } = opened();

    expect(await statusOf(delivery.unknownType())).toBe(204);
    expect([handled, refused]).toEqual([['contact.of_the_future'], []]);
  });

  test('is answered 503 while the receiver drains, with the time to wait before the next attempt', async () => {
    const { receiver, send, handled } = opened();
    await receiver.drain();
    const { status, headers } = await send(delivery);
    const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');

    expect([status, retryAfter?.[1], handled]).toEqual([503, '5', []]);
  });
});
