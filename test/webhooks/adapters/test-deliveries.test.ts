import { Hono } from 'hono';
import {
  createWebhookReceiver,
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

/** Sends a delivery through an adapter, in the form that the adapter's framework has, and gives the status. */
type Send = (delivery: TestDelivery) => Promise<number>;

const forms: readonly (readonly [form: string, through: (receiver: ReceiverCore<unknown>) => Send])[] = [
  [
    'toRequest, Fetch',
    (receiver) => async (delivery) => (await toFetchHandler(receiver)(delivery.toRequest())).status,
  ],
  [
    'toRequest, Hono',
    (receiver) => async (delivery) =>
      (await new Hono().all('/webhooks', toHonoHandler(receiver)).request(delivery.toRequest())).status,
  ],
  [
    'toNodeRequest, node:http',
    (receiver) => answeredBy(toNodeHandler(receiver), (delivery) => delivery.toNodeRequest()),
  ],
  [
    'toNodeRequest, Next.js pages',
    (receiver) => answeredBy(toNextPagesHandler(receiver), (delivery) => delivery.toNodeRequest()),
  ],
  [
    'toNodeRequest, Koa',
    (receiver) => async (delivery) => {
      const req = delivery.toNodeRequest();
      const context = {
        req,
        request: req,
        headerSent: false,
        writable: true,
        status: 404,
        body: '',
        set() {},
      };
      await toKoaMiddleware(receiver)(context);
      return context.status;
    },
  ],
  [
    'toExpressRequest',
    (receiver) => answeredBy(toNodeHandler(receiver), (delivery) => delivery.toExpressRequest()),
  ],
  [
    'toFastifyRequest',
    (receiver) => async (delivery) => {
      const reply = new Reply();
      await toFastifyHandler(receiver)(delivery.toFastifyRequest(), reply);
      return reply.sent ? reply.status : 0;
    },
  ],
  ...(['v1', 'v2', 'alb'] as const).flatMap((caller) =>
    [false, true].map(
      (base64) =>
        [
          `toLambdaEvent, ${caller}${base64 ? ', base64' : ''}`,
          (receiver: ReceiverCore<unknown>): Send =>
            async (delivery) =>
              (await toLambdaHandler(receiver)(delivery.toLambdaEvent(caller, { base64 }))).statusCode,
        ] as const,
    ),
  ),
];

function answeredBy<Request>(
  handle: (request: Request, response: Answer) => Promise<void>,
  form: (delivery: TestDelivery) => Request,
): Send {
  return async (delivery) => {
    const answer = new Answer();
    await handle(form(delivery), answer);
    return answer.headersSent ? answer.statusCode : 0;
  };
}

class Answer {
  statusCode = 200;
  headersSent = false;
  readonly destroyed = false;
  setHeader(): void {}
  end(): void {
    this.headersSent = true;
  }
}

class Reply {
  status = 200;
  sent = false;
  code(status: number): void {
    this.status = status;
  }
  headers(): void {}
  send(): void {
    this.sent = true;
  }
}

describe.each(forms)('%s', (_, through) => {
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
    return { send: through(receiver), handled, refused, failures };
  }

  test('is handled', async () => {
    const { send, handled, refused, failures } = opened();

    expect(await send(delivery)).toBe(204);
    expect([handled, refused, failures]).toEqual([['Grüße \u{1F44B}'], [], []]);
  });

  test.each([
    ['tampered', 401, 'signature_mismatch'],
    ['wrongSecret', 401, 'signature_mismatch'],
    ['unsigned', 401, 'missing_signature'],
    ['late', 400, 'too_old'],
    ['early', 400, 'too_new'],
  ] as const)('%s is refused', async (variant, status, reason) => {
    const { send, handled, refused, failures } = opened();

    expect(await send(delivery[variant]())).toBe(status);
    expect([handled, refused, failures]).toEqual([[], [reason], []]);
  });

  test('duplicate is acknowledged, and handled once', async () => {
    const { send, handled } = opened();

    expect(await send(delivery)).toBe(204);
    expect(await send(delivery.duplicate())).toBe(204);
    expect(handled).toHaveLength(1);
  });

  test('unknownType is acknowledged', async () => {
    const { send, handled, refused } = opened();

    expect(await send(delivery.unknownType())).toBe(204);
    expect([handled, refused]).toEqual([['contact.of_the_future'], []]);
  });
});
