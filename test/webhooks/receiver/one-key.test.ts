import {
  createMemoryDedupeStore,
  type DedupeStore,
  signWebhook,
  type WebhookContext,
  type WebhookJob,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { message, receiverOf, recordingStore, requestOf, secret, settled, timestamp } from './receive.js';

const consent = {
  event: 'contact.opted_out',
  workspaceId: 'workspace_1',
  timestamp,
  data: { contactId: 'contact_1' },
};
const unknown = { ...consent, event: 'contact.tagged' };

type Body = typeof message | typeof consent;
type Options = Partial<WebhookReceiverOptions<string>>;

const cases: readonly (readonly [string, Body, Options])[] = [
  ['a message', message, {}],
  ['an event of consent', consent, {}],
  ['an event of an unknown type', unknown, {}],
  ['a message with an own dedupeKey', message, { dedupeKey: ({ timestamp: at }) => `at ${at}` }],
  ['a message, signed by the second of two secrets', message, { secret: ['whsec_new', secret] }],
];

/** A process of an application: it receives, or works on jobs. All share a store. */
function processOf(dedupe: DedupeStore, options: Options) {
  const seen: WebhookContext<string>[] = [];
  const jobs: WebhookJob[] = [];
  const web = receiverOf({ dedupe, ...options });
  const queued = receiverOf({ dedupe, ...options, enqueue: (job) => jobs.push(job) });
  for (const { receiver } of [web, queued]) receiver.onAny((_, context) => seen.push(context));
  const jobOf = async (body: Body) => {
    expect(await queued.status(body)).toBe(204);
    return JSON.parse(JSON.stringify(jobs.at(-1)));
  };
  return {
    seen,
    inline: async (body: Body) => expect(await web.status(body)).toBe(204),
    jobOf,
    byQueue: async (body: Body) => queued.receiver.process(await jobOf(body)),
    queued: queued.receiver,
    clock: queued.clock,
  };
}

describe.each(cases)('%s has one key', (_, body, options) => {
  test.each([
    ['handlers, then a queue', ['inline', 'byQueue']],
    ['a queue, then handlers', ['byQueue', 'inline']],
    ['both at once', ['inline', 'byQueue', 'inline', 'byQueue']],
  ] as const)('on every way through a rolling deployment: %s', async (_name, ways) => {
    const dedupe = createMemoryDedupeStore({ clock: receiverOf().clock });
    const old = processOf(dedupe, options);
    const young = processOf(dedupe, options);
    for (const [index, way] of ways.entries()) await (index % 2 === 0 ? old : young)[way](body);
    expect(old.seen.length + young.seen.length).toBe(1);
  });

  test('which the handlers see, the job has and the store keeps', async () => {
    const { calls, store } = recordingStore();
    const { seen, inline, jobOf, byQueue } = processOf(store, options);
    await inline(body);
    await byQueue(body);
    const { key } = await jobOf(body);
    expect(key).toMatch(/^(message|delivery|own)-[\da-f]{64}$/);
    expect(seen.map((context) => context.key)).toEqual([key, key]);
    expect(calls[0]).toBe(`claim ${key.replace('-', ':')} 30000`);
  });

  test.each([
    ['handlers', (key: string) => key.replace('-', ':')],
    ['a worker', (key: string) => key],
  ])('under which a job is known that version 0.2.0 handled by %s', async (_name, nameOf) => {
    const dedupe = createMemoryDedupeStore({ clock: receiverOf().clock });
    const { jobOf, byQueue, seen } = processOf(dedupe, options);
    const { key } = await jobOf(body);
    await dedupe.commit(nameOf(key), { holder: 'a process of 0.2.0', ttl: 3_600_000 });
    await byQueue(body);
    expect(seen).toEqual([]);
  });

  test.each([
    ['with another key', (job: WebhookJob) => ({ ...job, key: `message-${'0'.repeat(64)}` })],
    ['with another group', (job: WebhookJob) => ({ ...job, group: 'contact-x' })],
    ['with another index and time', (job: WebhookJob) => ({ ...job, secretIndex: 7, receivedAt: 'never' })],
    [
      'with its signature in capitals',
      (job: WebhookJob) => ({ ...job, signature: job.signature.toUpperCase() }),
    ],
  ])('that is computed from what was signed: a job %s', async (_name, change) => {
    const dedupe = createMemoryDedupeStore({ clock: receiverOf().clock });
    const { jobOf, queued, seen } = processOf(dedupe, options);
    const job = await jobOf(body);
    await queued.process(job);
    await queued.process(change(job));
    expect(seen).toHaveLength(1);
  });
});

test('a worker waits for a worker of version 0.2.0 without keeping the delivery from handlers', async () => {
  const dedupe = createMemoryDedupeStore({ clock: receiverOf().clock });
  const { jobOf, queued, clock, inline, seen } = processOf(dedupe, {});
  const job = await jobOf(message);
  await dedupe.claim(job.key, { holder: 'a worker of 0.2.0', lease: 60_000 });
  const work = queued.process(job);
  await settled();
  await inline(message);
  await clock.passSettled(500);
  await work; // a duplicate
  expect(seen).toHaveLength(1);
});

test('context.key can be read without a dedupe store, and throws what dedupeKey throws', async () => {
  const keys: unknown[] = [];
  const { receiver, status } = receiverOf({ dedupe: false });
  receiver.on('message.received', (_, context) => keys.push(context.key));
  expect(await status(message)).toBe(204);
  expect(keys).toEqual([expect.stringMatching(/^message-/)]);

  const broken = receiverOf({
    dedupe: false,
    dedupeKey: () => {
      throw new Error('no identity');
    },
  });
  broken.receiver.on('message.received', (_, context) => context.key);
  expect(await broken.status(message)).toBe(500);
  expect(broken.log).toMatchObject([['error', { message: 'no identity' }, {}]]);
});

test('dedupeKey that reads the key that it computes is a failure, and is named', async () => {
  const { log, status } = receiverOf({ dedupeKey: (_, context) => context.key });
  expect(await status(message)).toBe(500);
  expect(log).toMatchObject([
    ['error', { message: expect.stringContaining('dedupeKey reads context.key') }, {}],
  ]);
});

test.each([
  ['more characters than maxBodyBytes', 'a'.repeat(4_000)],
  ['more bytes than maxBodyBytes', '€'.repeat(1_200)],
])('a job with a body of %s is refused before it is verified', async (_, text) => {
  const { receiver } = receiverOf({ maxBodyBytes: 3_500 });
  const body = JSON.stringify({ ...message, data: { ...message.data, body: text } });
  const job = { version: 1, key: 'message-1', body, signature: signWebhook(body, secret) };
  await expect(receiver.process(job)).rejects.toMatchObject({ reason: 'too_large' });
});

describe('lastDelivery', () => {
  const at = timestamp;

  test('says when the last verified delivery came, of which event, and what became of it', async () => {
    const { receiver, status, clock } = receiverOf();
    expect(receiver.lastDelivery).toBeUndefined();
    expect(await status(message, { headers: {} })).toBe(401);
    expect(receiver.lastDelivery).toBeUndefined();
    expect(await status(message)).toBe(204);
    expect(receiver.lastDelivery).toEqual({ at, event: 'message.received', outcome: 'handled' });
    clock.pass(60_000);
    expect(await status(message)).toBe(204);
    const later = new Date(Date.parse(at) + 60_000).toISOString();
    expect(receiver.lastDelivery).toEqual({ at: later, event: 'message.received', outcome: 'duplicate' });
    receiver.on('contact.opted_out', () => Promise.reject(new Error('no room')));
    expect(await status(consent)).toBe(500);
    expect(receiver.lastDelivery).toEqual({ at: later, event: 'contact.opted_out', outcome: 'failed' });
  });

  test('says that a delivery is in progress, and that it was handed over', async () => {
    const { receiver, status } = receiverOf({ enqueue: () => {} });
    expect(await status(message)).toBe(204);
    expect(receiver.lastDelivery?.outcome).toBe('handed_over');
    const slow = receiverOf();
    slow.receiver.on('message.received', () => new Promise(() => {}));
    void slow.receiver.receive(requestOf(message));
    await new Promise(setImmediate);
    expect(slow.receiver.lastDelivery?.outcome).toBe('in_progress');
  });

  test('of a refused delivery is failed, if it was verified', async () => {
    const { receiver, status } = receiverOf({ enqueue: () => Promise.reject(new Error('down')) });
    expect(await status(message)).toBe(503);
    expect(receiver.lastDelivery?.outcome).toBe('failed');
  });
});
