import {
  type ConsentData,
  createWebhookReceiver,
  type MessageReceivedData,
  type MessageReceivedEvent,
  signWebhook,
  type UnknownWebhookEvent,
  unwrapWebhook,
  unwrapWebhookAsync,
  verifyWebhook,
  verifyWebhookAsync,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookHandler,
  type WebhookVerificationError,
  type WebhookVerificationReason,
} from 'messaging-automation/webhooks';
import { expectTypeOf, test } from 'vitest';
import { clockAt, messageBody, secret } from './delivery-body.js';

// What is expected here is checked by the compiler; running it shows that the examples are sound.
const unwrap = () =>
  unwrapWebhook(messageBody, signWebhook(messageBody, secret), secret, { clock: clockAt() });

test('a switch over the event narrows, the unknown member included', () => {
  const event = unwrap();
  expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
  switch (event.event) {
    case 'message.received':
      expectTypeOf(event).toEqualTypeOf<MessageReceivedEvent>();
      expectTypeOf(event.data).toEqualTypeOf<MessageReceivedData>();
      expectTypeOf(event.data.body).toEqualTypeOf<string>();
      break;
    case 'contact.opted_in':
    case 'contact.opted_out':
      expectTypeOf(event.data).toEqualTypeOf<ConsentData>();
      expectTypeOf(event.data.contactId).toEqualTypeOf<string | undefined>();
      expectTypeOf(event.data.phone).toEqualTypeOf<string | undefined>();
      expectTypeOf(event.data.of_a_newer_service).toBeUnknown();
      break;
    default:
      expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
      expectTypeOf(event.event).toExtend<string>();
      expectTypeOf(event.data).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  }
});

test('an if narrows as well', () => {
  const event = unwrap();
  if (event.event === 'message.received') expectTypeOf(event.data.phone).toBeString();
  // @ts-expect-error data of an event that may be unknown has no documented field
  expectTypeOf(event.data.phone).toBeString();
});

test('who opted out is a string that may be left out, so that the obvious line compiles', () => {
  const optedOut: string[] = [];
  const onOptedOut: WebhookHandler<WebhookEventOf<'contact.opted_out'>> = (event) => {
    if (event.data.contactId) optedOut.push(event.data.contactId);
  };
  createWebhookReceiver({ secret }).on('contact.opted_out', onOptedOut);
  expectTypeOf<ConsentData['keyword' | 'occurredAt']>().toEqualTypeOf<string | undefined>();
});

test('the sync verdict is a boolean, the async one is no promise of a boolean', () => {
  expectTypeOf(verifyWebhook).returns.toBeBoolean();
  expectTypeOf(verifyWebhookAsync).returns.resolves.toEqualTypeOf<Uint8Array>();
  expectTypeOf(unwrapWebhookAsync).returns.resolves.toEqualTypeOf<WebhookEvent>();
});

test('a parsed body, a request and an absent secret do not compile', () => {
  const parsed: { event: string } = JSON.parse(messageBody);
  type Body = Parameters<typeof verifyWebhook>[0];
  type Secret = Parameters<typeof verifyWebhook>[2];
  expectTypeOf(parsed).not.toExtend<Body>();
  expectTypeOf<Request>().not.toExtend<Body>();
  expectTypeOf<undefined>().not.toExtend<Body>();
  expectTypeOf<Buffer>().toExtend<Body>();
  expectTypeOf<string | undefined>().not.toExtend<Secret>();
  expectTypeOf<readonly string[]>().toExtend<Secret>();
});

test('a reason is one of a closed list', () => {
  expectTypeOf<WebhookVerificationError['reason']>().toEqualTypeOf<WebhookVerificationReason>();
  expectTypeOf<'expired'>().not.toExtend<WebhookVerificationReason>();
});
