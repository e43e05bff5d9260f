import { Hono } from 'hono';
import {
  type ReceiverCore,
  signTestDelivery,
  type TestDelivery,
  toFetchHandler,
  toHonoHandler,
  toLambdaHandler,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { clockAt, secret } from '../delivery-body.js';
import { recordingReceiver } from './support/receiver.js';

/** Sends a delivery through an adapter, in the form that the adapter's framework has. Gives the status. */
type Send = (delivery: TestDelivery) => Promise<number>;

const forms: Readonly<Record<string, (receiver: ReceiverCore<unknown>) => Send>> = {
  'toRequest, Fetch': (receiver) => async (delivery) =>
    (await toFetchHandler(receiver)(delivery.toRequest())).status,
  'toRequest, Hono': (receiver) => async (delivery) =>
    (await new Hono().all('/webhooks', toHonoHandler(receiver)).request(delivery.toRequest())).status,
  'a Lambda function':
    (receiver) =>
    async ({ headers, body }) =>
      (await toLambdaHandler(receiver)({ httpMethod: 'POST', headers, body, isBase64Encoded: false }))
        .statusCode,
};

describe.each(Object.entries(forms))('%s', (_, through) => {
  const text = 'Grüße \u{1F44B}';
  const delivery = signTestDelivery({ secret, clock: clockAt(), data: { body: text } });

  function opened() {
    const { receiver, handled, told } = recordingReceiver({
      clock: { ...clockAt(), setTimer: () => () => undefined },
      tolerance: undefined,
      onUnknownEvent(event): void {
        handled.push(event.event);
      },
    });
    return { send: through(receiver), handled, told };
  }

  test.each<[string, TestDelivery, number, readonly string[], readonly object[]]>([
    ['as it is', delivery, 204, [text], []],
    ['tampered', delivery.tampered(), 401, [], [{ reason: 'signature_mismatch' }]],
    ['wrongSecret', delivery.wrongSecret(), 401, [], [{ reason: 'signature_mismatch' }]],
    ['unsigned', delivery.unsigned(), 401, [], [{ reason: 'missing_signature' }]],
    ['late', delivery.late(), 400, [], [{ reason: 'too_old' }]],
    ['early', delivery.early(), 400, [], [{ reason: 'too_new' }]],
    ['unknownType', delivery.unknownType(), 204, ['contact.of_the_future'], []],
  ])(
    '%s gets a response as the receiver responds, and so is its duplicate',
    async (_, sent, status, ...seen) => {
      const { send, handled, told } = opened();

      expect(await send(sent)).toBe(status);
      expect([handled, told]).toMatchObject(seen);
      expect(await send(sent.duplicate())).toBe(status);
      expect(handled).toEqual(seen[0]);
    },
  );
});
