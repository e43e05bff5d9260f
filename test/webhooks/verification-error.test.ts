import { inspect } from 'node:util';
import { signWebhook, unwrapWebhook, WebhookVerificationError } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { clockAt, messageDelivery } from './delivery-body.js';
import { outcome } from './unwrap-both.js';

const canary = 'CANARY';
const secret = `whsec_${canary}_7f3a`;

const body = (change: object) =>
  JSON.stringify({
    ...messageDelivery,
    data: { ...messageDelivery.data, body: canary, phone: '+15550001111' },
    ...change,
  });

const wrong: readonly (readonly [string, string, string | undefined])[] = [
  ['missing', body({}), undefined],
  ['malformed', body({}), canary],
  ['ambiguous', body({}), `${canary},${canary}`],
  ['mismatch', body({}), '0'.repeat(64)],
  ['not JSON', `${canary}{`, 'right'],
  ['unexpected shape', body({ data: { [canary]: canary } }), 'right'],
  ['unexpected shape of an unknown type', body({ event: canary, workspaceId: 7 }), 'right'],
  ['unexpected value', body({ event: [canary] }), 'right'],
  ['bad timestamp', body({ timestamp: canary }), 'right'],
  ['too old', body({ timestamp: '2020-01-01T00:00:00.000Z' }), 'right'],
];

test.each(wrong)(
  'the error of a delivery (%s) holds no secret, no signature and nothing of the body',
  (_, rawBody, given) => {
    const right = signWebhook(rawBody, secret);
    const signature = given === 'right' ? right : given;
    const options = { clock: clockAt(), validation: 'strict' } as const;
    const error = outcome(() => unwrapWebhook(rawBody, signature, secret, options));

    expect(error).toBeInstanceOf(WebhookVerificationError);
    const { stack = '' } = error as Error;
    const everything = [
      String(error),
      stack,
      JSON.stringify(error),
      inspect(error, { depth: null, showHidden: true }),
    ].join('\n');
    for (const leak of [canary, right, '+15550001111']) expect(everything).not.toContain(leak);
    expect(error).not.toHaveProperty('cause');
  },
);
