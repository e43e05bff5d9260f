import {
  createMemoryKeyValueStore,
  createOptOutList,
  createRedisKeyValueStore,
  type MessagingAutomation,
  SendBlockedError,
  type SendInput,
  TimeoutError,
} from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Approvals } from '../../examples/recipes/approval.js';
import { manualClock } from '../client/support/clocks.js';
import { rejection } from '../client/support/service.js';
import { notRun } from '../run/debian.js';
import { until, within } from '../waiting.js';
import { missingRedis, useRedisClients } from '../webhooks/dedupe/redis-clients.js';

const suffix = missingRedis === undefined ? '' : notRun('the recipe for approvals', missingRedis);
const phone = '+15551234567';
const idempotencyKey = 'offer-1';
const message = { phone, templateId: 'offer', variables: { '1': 'Ada' } };
const question = JSON.stringify({ idempotencyKey, ...message });

describe.skipIf(missingRedis)(`a message that a person approves${suffix}`, () => {
  const clients = useRedisClients();
  const run = crypto.randomUUID();
  let stores = 0;

  /** A process that sends, and a person, over a store in Redis. The guard looks again at each `look`. */
  async function start() {
    stores += 1;
    const redis = clients.nodeRedis();
    const prefix = `${run} approvals ${stores}:`;
    const store = createRedisKeyValueStore(redis, { prefix });
    const clock = manualClock();
    const server = createReferenceServer({
      contacts: [{ phone }],
      templates: [{ id: 'offer', body: 'Hello {{1}}' }],
    });
    onTestFinished(() => server.close());
    const messaging: MessagingAutomation = server.client.withOptions({ idempotencyStore: store, clock });
    const looks: (() => void)[] = [];
    const pause = (signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        looks.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const approvals = new Approvals(store, pause);
    const send = (input: SendInput = message, options = {}) =>
      approvals.send(messaging, input, { idempotencyKey, ...options });
    const asked = (count = 1) => until('a question', () => looks.length === count);
    const lookAgain = () => looks.at(-1)?.();
    const lease = async () => (await redis.keys(`${prefix}lease:*`))[0] ?? '';
    return { redis, clock, server, messaging, approvals, send, asked, looks, lookAgain, lease };
  }

  async function questionsOf(approvals: Approvals): Promise<readonly string[]> {
    const questions = [];
    for await (const each of approvals.open()) questions.push(each);
    return questions;
  }

  test('is sent once the person says yes, which counts once', async () => {
    const { approvals, send, asked, lookAgain, server } = await start();
    const sending = send();
    await asked();
    expect(await questionsOf(approvals)).toEqual([question]);
    expect(await server.journal.sends()).toEqual([]);
    expect(await approvals.decide(question, 'yes')).toBe(true);
    expect(await approvals.decide(question, 'no')).toBe(false);
    lookAgain();
    expect(await within('the send', sending)).toEqual({ success: true });
    expect(await send()).toEqual({ success: true, replayed: true });
    expect(await server.journal.sends()).toHaveLength(1);
    expect(await questionsOf(approvals)).toEqual([]);
  });

  test('is not sent if the person says no, however often it is tried', async () => {
    const { approvals, send, asked, lookAgain, server } = await start();
    const sending = send();
    await asked();
    await approvals.decide(question, 'no');
    lookAgain();
    // One after the other: a call whose key another call has waits on the clock, which stands still.
    for (const call of [() => sending, send]) {
      const error = await within('the refusal', rejection(call()));
      expect(error).toBeInstanceOf(SendBlockedError);
      expect(error).toMatchObject({ reason: 'a person said no', outcome: 'not_sent' });
    }
    expect(await server.journal.sends()).toEqual([]);
  });

  test('of which nothing is decided in time is not sent, and its key is free for the yes that comes later', async () => {
    const { approvals, send, asked, lookAgain, looks, server, clock, messaging } = await start();
    const sending = send(message, { timeout: 60_000 });
    await asked();
    clock.advance(60_000);
    const error = await within('the deadline', rejection(sending));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'not_sent', retryable: true });
    lookAgain();
    expect(await messaging.transactional.unsettled()).toEqual([]);
    expect(looks).toHaveLength(1); // nobody looks any longer

    expect(await approvals.decide(question, 'yes')).toBe(true);
    expect(await send()).toEqual({ success: true });
    expect(await server.journal.sends()).toHaveLength(1);
  });

  test('ends with its signal, and its key is free', async () => {
    const { send, asked, messaging } = await start();
    const stop = new AbortController();
    const sending = send(message, { signal: stop.signal });
    await asked();
    const reason = new Error('The worker stops.');
    stop.abort(reason);
    await expect(within('the abort', sending)).rejects.toBe(reason);
    expect(await messaging.transactional.send(message, { idempotencyKey })).toEqual({ success: true });
  });

  test('keeps its key while the person thinks for minutes: nobody else sends or settles it', async () => {
    const { redis, clock, approvals, send, asked, lookAgain, lease, messaging, server } = await start();
    const sending = send();
    await asked();
    const name = await lease();
    for (let seconds = 0; seconds < 120; seconds += 10) {
      await redis.pExpire(name, 20_000); // as after ten seconds
      clock.advance(10_000);
      await vi.waitFor(async () => expect(await redis.pTTL(name)).toBeGreaterThan(25_000));
    }
    expect(await messaging.transactional.settle(idempotencyKey, 'not_sent')).toBe(false);
    expect(await messaging.transactional.unsettled()).toEqual([]);
    await approvals.decide(question, 'yes');
    lookAgain();
    expect(await within('the send', sending)).toEqual({ success: true });
    expect(await server.journal.sends()).toHaveLength(1);
  });

  test('is asked about again if it changes, and a contact who opts out meanwhile gets nothing', async () => {
    const { approvals, send, asked, lookAgain, server } = await start();
    const optOuts = createOptOutList({ store: createMemoryKeyValueStore() });
    const sending = send(message, { guards: [optOuts] });
    await asked();
    await optOuts.add(phone);
    await approvals.decide(question, 'yes');
    lookAgain();
    await expect(within('the refusal', sending)).rejects.toThrow('the contact has opted out');

    const changed = { ...message, variables: { '1': 'Grace' } };
    const stop = new AbortController();
    const another = send(changed, { signal: stop.signal });
    await asked(2);
    expect(await questionsOf(approvals)).toEqual([JSON.stringify({ idempotencyKey, ...changed })]);
    stop.abort();
    await expect(another).rejects.toThrow();
    expect(await server.journal.sends()).toEqual([]);
  });
});
