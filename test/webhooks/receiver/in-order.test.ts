import { createMemoryKeyValueStore } from 'messaging-automation';
import {
  ConfigurationError,
  createDedupeStore,
  createMemoryDedupeStore,
  type WebhookJob,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { withResolvers } from '../../waiting.js';
import { message, messageOf, receiverOf, requestOf, settled, storeWith, timestamp } from './receive.js';

/** A message of the contact, so many milliseconds after the first one. */
const messageAfter = (milliseconds: number, id = `${milliseconds}`) => ({
  ...messageOf(id),
  timestamp: new Date(Date.parse(timestamp) + milliseconds).toISOString(),
});

/** A message of another contact. */
const messageOfOther = (id: string) => ({
  ...messageOf(id),
  data: { ...message.data, messageId: id, contactId: 'contact_other' },
});

/** A receiver whose handlers end when the test says so, and what they did. */
function orderedReceiver(options: Parameters<typeof receiverOf>[0] = {}) {
  const parts = receiverOf({ inOrder: 'contact', onSlowHandler: () => {}, ...options });
  const began: string[] = [];
  const late: string[] = [];
  const handlings = new Map<string, ReturnType<typeof withResolvers<void>>>();
  parts.receiver.on('message.received', (event, context) => {
    const { messageId } = event.data;
    began.push(messageId);
    if (context.isLate) late.push(messageId);
    const handling = withResolvers();
    handlings.set(messageId, handling);
    return handling.promise;
  });
  const end = async (messageId: string) => {
    handlings.get(messageId)?.resolve();
    await settled();
  };
  const fail = async (messageId: string) => {
    handlings.get(messageId)?.reject(new Error('no room'));
    await settled();
  };
  return { ...parts, began, late, end, fail };
}

describe("a receiver with inOrder: 'contact'", () => {
  test('runs the deliveries of a contact one after the other, oldest first, and others beside them', async () => {
    const { began, end, late, status } = orderedReceiver();
    const responses = [status(messageAfter(0)), status(messageAfter(2)), status(messageAfter(1))];
    const other = status(messageOfOther('other'));
    await settled();
    expect(began).toEqual(['0', 'other']);
    await end('other');
    expect(await other).toBe(204);
    await end('0');
    expect(began.slice(2)).toEqual(['1']);
    await end('1');
    await end('2');
    expect(await Promise.all(responses)).toEqual([204, 204, 204]);
    expect(began).toEqual(['0', 'other', '1', '2']);
    expect(late).toEqual([]);
  });

  test('goes on with the next delivery when one fails, and says that the retry is late', async () => {
    const { began, end, fail, late, status } = orderedReceiver();
    const responses = [status(messageAfter(0)), status(messageAfter(1))];
    await settled();
    await fail('0');
    await end('1');
    expect(await Promise.all(responses)).toEqual([500, 204]);
    const retry = status(messageAfter(0));
    await settled();
    await end('0');
    expect(await retry).toBe(204);
    expect(began).toEqual(['0', '1', '0']);
    expect(late).toEqual(['0']);
  });

  test('a delivery that failed makes no older one late', async () => {
    const { began, end, fail, late, status } = orderedReceiver();
    const failed = status(messageAfter(1));
    await settled();
    await fail('1');
    expect(await failed).toBe(500);
    const older = status(messageAfter(0));
    await settled();
    await end('0');
    expect(await older).toBe(204);
    expect(began).toEqual(['1', '0']);
    expect(late).toEqual([]);
  });

  test('does not wait until the store has recorded an earlier delivery that is handled', async () => {
    const memory = createMemoryDedupeStore({ clock: receiverOf().clock });
    const commit = () => Promise.reject(new Error('down'));
    const { began, end, status } = orderedReceiver({ dedupe: { ...memory, commit } });
    const responses = [status(messageAfter(0)), status(messageAfter(1))];
    await settled();
    await end('0');
    expect(began).toEqual(['0', '1']);
    await end('1');
    expect(await Promise.all(responses)).toEqual([204, 204]);
  });

  test('keeps the platform up until another process may begin', async () => {
    const { clock } = receiverOf();
    const dedupe = createDedupeStore(createMemoryKeyValueStore({ clock }));
    const { end, receiver } = orderedReceiver({ dedupe, clock });
    const work: Promise<unknown>[] = [];
    const waitUntil = (promise: Promise<unknown>) => work.push(promise);
    const responses = [0, 1].map((at) => receiver.receive(requestOf(messageAfter(at), { waitUntil })));
    await settled();
    await end('0');
    expect((await responses[0])?.status).toBe(204);
    expect(work).toHaveLength(1);
    await Promise.all(work);
    await end('1');
    expect((await responses[1])?.status).toBe(204);
    expect(work).toHaveLength(1); // nobody waits for the second
  });

  test('responds with 503 to a delivery that waits for too long, which keeps its place', async () => {
    const { began, clock, end, receiver, status, statusAfter } = orderedReceiver();
    const first = status(messageAfter(0));
    await settled();
    expect(await statusAfter(4_500, messageAfter(1))).toBe(503);
    expect(await first).toBe(503);
    await clock.passSettled(60_000);
    await end('0');
    expect(began).toEqual(['0', '1']);
    await end('1');
    expect(await status(messageAfter(1))).toBe(204); // the retry finds it handled
    expect(began).toHaveLength(2);
    expect(clock.waiting).toBe(0);
    expect(await receiver.drain()).toEqual([]);
  });

  test('gives up a delivery whose turn does not come within handlerTimeout', async () => {
    const { began, clock, log, status, statusAfter } = orderedReceiver({ handlerTimeout: 60_000 });
    const first = status(messageAfter(0));
    await settled();
    clock.pass(10_000);
    await first;
    expect(await statusAfter(4_500, messageAfter(1))).toBe(503);
    await clock.passSettled(45_500);
    await clock.passSettled(500);
    expect(log.map(([, error]) => error)).toMatchObject([{ reason: 'handler_timeout' }]);
    expect(began).toEqual(['0', '1']);
  });

  test('leaves a delivery that waits to another process when it drains, if it has its response', async () => {
    const { began, end, receiver, status, statusAfter } = orderedReceiver();
    const first = status(messageAfter(0));
    await settled();
    expect(await statusAfter(4_500, messageAfter(1))).toBe(503);
    await first;
    const drained = receiver.drain();
    await settled();
    await end('0');
    expect(await drained).toEqual([]);
    expect(began).toEqual(['0']);
  });

  test('lets a quarter of maxConcurrent wait of one contact, and refuses more with 503', async () => {
    const { end, log, status } = orderedReceiver({ maxConcurrent: 8 });
    const responses = [0, 1, 2].map((milliseconds) => status(messageAfter(milliseconds)));
    await settled();
    expect(await status(messageAfter(3))).toBe(503);
    expect(log.map(([, error]) => error)).toMatchObject([{ reason: 'overloaded' }]);
    const other = status(messageOfOther('other'));
    await settled();
    for (const id of ['other', '0', '1', '2']) await end(id);
    expect(await Promise.all([other, ...responses])).toEqual([204, 204, 204, 204]);
  });

  test('keeps the order of jobs in process', async () => {
    const jobs: WebhookJob[] = [];
    const web = receiverOf({ enqueue: (job) => jobs.push(job) });
    for (const delivery of [messageAfter(0), messageAfter(1)]) expect(await web.status(delivery)).toBe(204);
    expect(jobs[0]?.group).toMatch(/^contact-[\da-f]{64}$/);
    expect(jobs[1]?.group).toBe(jobs[0]?.group);
    const { began, end, receiver } = orderedReceiver();
    const work = jobs.map((job) => receiver.process(job));
    await settled();
    expect(began).toEqual(['0']);
    await end('0');
    await end('1');
    await Promise.all(work);
    expect(began).toEqual(['0', '1']);
  });

  test.each([
    ['a dedupe store without turns', storeWith({})],
    ['no dedupe store', false as const],
  ])('needs what keeps the order: not with %s', (_, dedupe) => {
    expect(() => receiverOf({ inOrder: 'contact', dedupe })).toThrow(ConfigurationError);
    expect(() => receiverOf({ inOrder: 'contact', dedupe })).toThrow('the part turns');
  });
});

test('without inOrder, deliveries of a contact run beside each other, and none is late', async () => {
  const { began, end, late, status } = orderedReceiver({ inOrder: undefined });
  const responses = [status(messageAfter(1)), status(messageAfter(0))];
  await settled();
  expect(began).toEqual(['1', '0']);
  for (const id of began) await end(id);
  expect(await Promise.all(responses)).toEqual([204, 204]);
  expect(late).toEqual([]);
});
