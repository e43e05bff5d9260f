import {
  ConfigurationError,
  type MessageReceivedEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
  type WebhookEventType,
} from 'messaging-automation/webhooks';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { withResolvers } from '../../waiting.js';
import { message, messageOf, receiverOf, requestOf } from './receive.js';

const optedIn = { ...message, event: 'contact.opted_in', data: {} };
const tagged = { ...message, event: 'contact.tagged', data: { tag: 'vip' } };

test('an event goes to the handlers of its type, whose types know it', async () => {
  const { receiver, status } = receiverOf({
    onUnknownEvent: (event) => {
      expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
      seen.push(`unknown ${event.event}`);
    },
  });
  const seen: string[] = [];
  receiver
    .on('message.received', (event, { request }) => {
      expectTypeOf(event).toEqualTypeOf<MessageReceivedEvent>();
      expectTypeOf(request).toEqualTypeOf<string>();
      seen.push(event.data.body);
    })
    .on('contact.opted_in', (event) => seen.push(event.event))
    .on('contact.opted_out', (event) => seen.push(event.event));
  for (const body of [message, optedIn, { ...optedIn, event: 'contact.opted_out' }, tagged]) {
    expect(await status(body)).toBe(204);
  }
  expect(seen).toEqual([
    message.data.body,
    'contact.opted_in',
    'contact.opted_out',
    'unknown contact.tagged',
  ]);
});

test('the handlers of a type and those of any event run one after the other, in their order', async () => {
  const first = withResolvers();
  const seen: string[] = [];
  const { receiver, status } = receiverOf({ onUnknownEvent: () => seen.push('unknown') });
  receiver.on('message.received', async () => {
    await first.promise;
    seen.push('first');
  });
  receiver
    .on('message.received', () => seen.push('second'))
    .onAny(async (event, { request }) => {
      expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
      expectTypeOf(request).toEqualTypeOf<string>();
      seen.push(`any ${event.event}`);
    })
    .on('message.received', async () => seen.push('last'));
  const response = status(message);
  first.resolve();
  expect(await response).toBe(204);
  expect(seen.splice(0)).toEqual(['first', 'second', 'any message.received', 'last']);
  for (const body of [optedIn, tagged]) expect(await status(body)).toBe(204);
  expect(seen).toEqual(['any contact.opted_in', 'unknown', 'any contact.tagged']);
});

test.each([
  ['throws', () => Promise.resolve().then(() => Promise.reject(new Error('no room')))],
  [
    'rejects',
    () => {
      throw new Error('no room');
    },
  ],
])('one that %s gets 500, stops those after it, and may try again', async (_, fail) => {
  const { log, receiver, status } = receiverOf();
  const before = vi.fn();
  const after = vi.fn();
  const failing = vi.fn<() => Promise<void>>(fail);
  receiver.on('message.received', before).on('message.received', failing).on('message.received', after);
  expect(await receiver.receive(requestOf(message))).toEqual({ status: 500, headers: {}, body: '' });
  expect(after).not.toHaveBeenCalled();
  const failure = { request: 'the request', event: message, willBeRetried: true };
  expect(log).toEqual([['error', new Error('no room'), failure]]);

  failing.mockImplementation(async () => {});
  expect(await status(message)).toBe(204);
  expect([before, failing, after].map((handler) => handler.mock.calls.length)).toEqual([2, 2, 1]);
});

test('an event of an unknown type is acknowledged, unless its handler fails', async () => {
  expect(await receiverOf().status(tagged)).toBe(204);
  const failing = receiverOf({ onUnknownEvent: () => Promise.reject(new Error('no room')) });
  expect(await failing.status(tagged)).toBe(500);
  expect(failing.log).toHaveLength(1);
});

test('an event of a known type without a handler is acknowledged, with one warning per receiver and type', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const unhandled = 'MessagingAutomationUnhandledEvent';
  const { log, status } = receiverOf();
  for (const body of [messageOf('1'), messageOf('2'), optedIn]) expect(await status(body)).toBe(204);
  expect(await receiverOf().status(optedIn)).toBe(204); // another receiver warns by itself
  const advice = 'Add one with receiver.on or receiver.onAny, or take the type out of the subscription.';
  expect(warn.mock.calls).toEqual(
    ['message.received', 'contact.opted_in', 'contact.opted_in'].map((type) => [
      `A delivery of ${type} was acknowledged, but it has no handler. ${advice}`,
      unhandled,
    ]),
  );
  expect(log).toEqual([]);
  warn.mockRestore();
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['a generator function, of which a call runs no code,', function* () {}],
  ['an async generator function', async function* () {}],
])('%s is refused as a handler', (_, handler) => {
  const { receiver } = receiverOf();
  const words = 'handler must be a function, and not a generator function, of which a call runs no code';
  expect(() => Reflect.apply(receiver.on, receiver, ['message.received', handler])).toThrow(
    `on('message.received'): ${words}`,
  );
  expect(() => Reflect.apply(receiver.onAny, receiver, [handler])).toThrow(`onAny: ${words}`);
});

test('a handler of a type that is not known is a ConfigurationError', () => {
  const misspelled = 'messages.received' as WebhookEventType;
  expect(() => receiverOf().receiver.on(misspelled, () => {})).toThrow(
    new ConfigurationError(
      "on('messages.received'): there is no such event (do you mean message.received?). The events are message.received, " +
        'contact.opted_in, contact.opted_out. For any other type pass onUnknownEvent, or use onAny.',
    ),
  );
});
