import type { DedupeStore, ReceivedRequest, WebhookReceiverOptions } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { message, messageOf, receiverOf, settled, storeWith } from './receive.js';

const never = () => new Promise<never>(() => {});

interface Course {
  readonly options?: Partial<WebhookReceiverOptions<string>>;
  readonly changes?: Partial<ReceivedRequest<string>>;
  readonly handler?: () => unknown;
  /** How long to wait for what is told, in milliseconds. */
  readonly wait?: number;
}

/** What the hooks are told, in names and words, when one delivery takes this course. */
async function toldOf({ options, changes, handler = () => {}, wait = 0 }: Course): Promise<string[]> {
  const { clock, log, receiver, status } = receiverOf(options);
  receiver.on('message.received', handler);
  status(message, changes);
  await settled();
  clock.pass(wait);
  await settled();
  return log.flatMap(([hook, error]) => (error instanceof Error ? [`${hook}: ${error}`] : []));
}

/** A store that answers one verb with something that no store may answer. */
const storeThatAnswers = (verb: 'claim' | 'renew', answer: unknown): DedupeStore => ({
  ...storeWith({}),
  [verb]: async () => answer,
});

describe('a refusal says what is wrong with the request, and what to do', () => {
  test.each<[string, Course, string]>([
    [
      'wrong_method',
      { changes: { method: 'GET' } },
      'RefusedRequestError: The request is not a POST, so it is not a delivery. A browser, a crawler or a ' +
        'health check may have sent it.',
    ],
    [
      'encoded',
      {
        changes: { headers: { 'x-service-signature': '0'.repeat(64), 'content-encoding': 'gzip' } },
      },
      'UnreadableBodyError: The body is compressed (it has a Content-Encoding), which the service never ' +
        'does. If a proxy in front of the receiver compresses requests, turn that off.',
    ],
    [
      'too_large',
      { options: { maxBodyBytes: 7 } },
      'UnreadableBodyError: The body has more than 7 bytes, the most that this receiver takes. Raise ' +
        'maxBodyBytes if deliveries are that large.',
    ],
    [
      'stalled',
      { changes: { readBody: never }, wait: 4_500 },
      'UnreadableBodyError: The body had not arrived 4500 ms after its headers. The sender, or something ' +
        'in between, is slow.',
    ],
    [
      'signature_mismatch, for want of a secret',
      { options: { secret: () => undefined } },
      'WebhookVerificationError: The delivery is for a subscription whose secret is not known. Keep the ' +
        'secret that the service returns when it creates the subscription.',
    ],
    [
      'wrong_workspace',
      { options: { workspaceId: 'workspace_2' } },
      "WebhookVerificationError: The delivery is authentic, but of another workspace than the receiver's " +
        'workspaceId. Check that the subscription was created with a key of that workspace.',
    ],
  ])('%s', async (_, course, text) => {
    expect(await toldOf(course)).toEqual([`refused: ${text}`]);
  });

  test('draining', async () => {
    const { log, receiver, status } = receiverOf();
    await receiver.drain();
    await status(message);
    expect(log[0]?.[1]).toEqual(
      expect.objectContaining({
        message: 'The receiver accepts no more deliveries, because drain() was called.',
      }),
    );
  });
});

describe('a failure says what happened, and what to do', () => {
  test.each<[string, Course, string]>([
    [
      'a secret that does not come in time',
      { options: { secret: never }, wait: 4_500 },
      'ReceiverDeadlineError: A delivery was not handled: its 4500 ms were up while waiting for the ' +
        'secret. Keep the secrets of recent subscriptions at hand.',
    ],
    [
      'a claim that does not come in time',
      { options: { dedupe: storeWith({ claim: never }), deadline: 100 }, wait: 100 },
      'ReceiverDeadlineError: A delivery was not handled: its 100 ms were up while waiting for the dedupe ' +
        'store. Check that it is up and near.',
    ],
    [
      'a claim answered wrongly',
      { options: { dedupe: storeThatAnswers('claim', 'OK') } },
      "ReceiverError: The dedupe store's claim() resolved to a value of type string; it must resolve to " +
        "'claimed', 'in_progress' or 'done'. Correct the store.",
    ],
    [
      'a renewal answered wrongly',
      { options: { dedupe: storeThatAnswers('renew', null) }, handler: never, wait: 10_000 },
      "ReceiverError: The dedupe store's renew() resolved to null; it must resolve to true or false. " +
        'Correct the store.',
    ],
    [
      'a claim that is lost',
      { options: { dedupe: storeThatAnswers('renew', false) }, handler: never, wait: 10_000 },
      'ReceiverError: The claim on a delivery ended while its handlers ran, so another process may handle ' +
        'the delivery too. Check that the dedupe store keeps keys for as long as it is asked to, and that ' +
        'nothing blocks this process for as long as `lease`.',
    ],
    [
      'a claim that is not settled',
      { options: { dedupe: storeWith({ commit: never }) }, wait: 30_000 },
      'ReceiverError: The dedupe store did not answer within 30000 ms whether it remembers a delivery that ' +
        'was handled, or gave up one that failed. Check that the store is up and near.',
    ],
    [
      'handlers that do not end',
      { options: { handlerTimeout: 1_000 }, handler: never, wait: 1_000 },
      'ReceiverError: The handlers of a delivery were not done within 1000 ms, so its claim was given up. ' +
        'Let them end when context.signal aborts, or raise handlerTimeout.',
    ],
    [
      'a dedupeKey that is none',
      { options: { dedupeKey: () => '' } },
      'TypeError: dedupeKey must return a string that is not empty.',
    ],
  ])('%s', async (_, course, text) => {
    expect(await toldOf(course)).toEqual([`error: ${text}`]);
  });

  test('too much work', async () => {
    const { log, receiver, status } = receiverOf({ maxConcurrent: 1, acknowledge: 'after-claim' });
    receiver.on('message.received', never);
    for (const id of ['1', '2']) await status(messageOf(id));
    expect(log[0]?.[1]).toEqual(
      expect.objectContaining({
        message:
          'A delivery was answered with 503, because 1 others are being handled. If this process can take more, raise ' +
          'maxConcurrent; if not, let the handlers do less, or run more processes.',
      }),
    );
  });
});

describe('an option that is out of range is a TypeError that says what it must be', () => {
  const number = 'must be a number above zero.';
  test.each<[string, object, string]>([
    ['maxBodyBytes', { maxBodyBytes: 0 }, `maxBodyBytes ${number}`],
    ['deadline', { deadline: Number.POSITIVE_INFINITY }, `deadline ${number}`],
    ['lease', { lease: '30s' }, `lease ${number}`],
    ['rememberFor', { rememberFor: Number.NaN }, `rememberFor ${number}`],
    ['handlerTimeout', { handlerTimeout: -1 }, `handlerTimeout ${number}`],
    ...[0, Number.NaN, '1'].map<[string, object, string]>((maxConcurrent) => [
      'maxConcurrent',
      { maxConcurrent },
      'maxConcurrent must be a number of one or more; Infinity sets no bound.',
    ]),
    ...['', 7, null].map<[string, object, string]>((workspaceId) => [
      'workspaceId',
      { workspaceId },
      'workspaceId must be a string that is not empty. Is its environment variable set?',
    ]),
    [
      'tolerance',
      { tolerance: { past: -1 } },
      'tolerance.past must be a number of milliseconds, zero or more.',
    ],
    ['dedupeKey', { dedupeKey: 'messageId' }, 'dedupeKey must be a function of the event.'],
    ['acknowledge', { acknowledge: 'at once' }, "acknowledge must be 'after-handlers' or 'after-claim'."],
    ['whenSlow', { whenSlow: 'wait' }, "whenSlow must be 'retry' or 'acknowledge'."],
    [
      'acknowledge without a store',
      { acknowledge: 'after-claim', dedupe: false },
      "acknowledge: 'after-claim' needs a dedupe store to claim from; leave out dedupe: false.",
    ],
  ])('%s %j', (_, options, text) => {
    expect(() => receiverOf(options)).toThrow(new TypeError(text));
  });
});
