import {
  IdempotencyError,
  InvalidInputError,
  type KeyValueService,
  type MessagingAutomation,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { within, withResolvers } from '../../waiting.js';
import { type Behaviour, faults, inTurn, reply } from '../support/behaviours.js';
import { phone, send } from '../support/samples.js';
import { clientOf, rejection, startClient } from '../support/service.js';

export const accepted = reply(200, { success: true }, { 'x-request-id': 'req_1' });
export const key = { idempotencyKey: 'order-1001-shipped' };

/** Waits are over at the next turn of the event loop, and no deadline comes. */
const promptClock = {
  now: () => Date.UTC(2026, 0, 1),
  setTimer(callback: () => void, delay: number) {
    if (delay >= 10_000) return () => {};
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
};

/** A service, and the client of a process that uses the store. */
export async function startSender(behave: Behaviour, idempotencyStore: KeyValueService) {
  const service = await startClient(behave, { idempotencyStore, clock: promptClock, retries: 0 });
  const another = () => clientOf(service, { idempotencyStore, clock: promptClock, retries: 0 });
  return { ...service, another };
}

const settle = ({ transactional }: MessagingAutomation, outcome: 'sent' | 'not_sent') =>
  transactional.settle(key.idempotencyKey, outcome);

/** How a store makes its time pass, for the leases of calls and the age of records. */
export interface StoreOfSends {
  readonly store: KeyValueService;
  readonly pass: (milliseconds: number) => Promise<void> | void;
}

const day = 24 * 60 * 60 * 1_000;

/** What the client promises with every store, within a suite that has one. */
export function sendsOnce(createStore: () => Promise<StoreOfSends> | StoreOfSends): void {
  test('a message that was sent is not sent again, by any client with the store', async () => {
    const { store } = await createStore();
    const { messaging, another, requests } = await startSender(accepted, store);
    expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
    for (const client of [messaging, another()]) {
      const { data, requestId, attempts } = await client.transactional.send(send, key).withResponse();
      expect({ data, requestId, attempts }).toEqual({
        data: { success: true, replayed: true },
        requestId: 'req_1',
        attempts: 0,
      });
    }
    expect(requests).toHaveLength(1);
    expect(await messaging.transactional.send(send, { idempotencyKey: 'another' })).toEqual({
      success: true,
    });
    expect(requests).toHaveLength(2);
  });

  test('of calls at once, one sends, and the others get its result', async () => {
    const { store } = await createStore();
    const gate = withResolvers();
    const { messaging, another, requests, received } = await startSender(async (...given) => {
      await gate.promise;
      accepted(...given);
    }, store);
    const clients = [messaging, another(), another()];
    const results = clients.map(({ transactional }) => transactional.send(send, key));
    await received(1);
    gate.resolve();
    const replayed = (await within('all results', Promise.all(results))).filter((result) => result.replayed);
    expect(replayed).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  test.each<[string, Behaviour]>([
    ['rejected', reply(404, { error: { code: 'not_found' } })],
    ['refused for its template', reply(422, { error: { code: 'send_failed' } })],
    ['held up by the rate limit', reply(429, { error: { code: 'rate_limited' } })],
  ])('a key whose send was %s is free again', async (_, rejection) => {
    const { store } = await createStore();
    const { messaging, requests } = await startSender(inTurn(rejection, accepted), store);
    await expect(messaging.transactional.send(send, key)).rejects.toMatchObject({ outcome: 'rejected' });
    expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
    expect(requests).toHaveLength(2);
  });

  test('a key is free if its request did not leave', async () => {
    const { store } = await createStore();
    const { another } = await startSender(accepted, store);
    const fetch = () =>
      Promise.reject(Object.assign(new TypeError('refused'), { cause: { code: 'ECONNREFUSED' } }));
    const cutOff = another().withOptions({ fetch });
    await expect(cutOff.transactional.send(send, key)).rejects.toMatchObject({ outcome: 'not_sent' });
    expect(await another().transactional.send(send, key)).toEqual({ success: true });
  });

  describe.each<[string, Behaviour]>([
    ['the connection broke', faults.reset],
    ['the service failed', reply(500, { error: { code: 'internal_error' } })],
    ['the service did not say that it succeeded', reply(200, {})],
  ])('if %s', (_, unclear) => {
    test.each(['sent', 'not_sent'] as const)(
      'nobody sends until somebody settles it as %s',
      async (outcome) => {
        const { store, pass } = await createStore();
        const { messaging, another, requests } = await startSender(inTurn(unclear, accepted), store);
        const client = messaging.withOptions({ onDrift: () => {} });
        await client.transactional.send(send, key).catch((error) => expect(error.outcome).toBe('unknown'));
        await pass(365 * day);
        const error = await rejection(another().transactional.send(send, key));
        expect(error).toBeInstanceOf(IdempotencyError);
        expect(error).toMatchObject({
          code: 'outcome_unknown',
          outcome: 'unknown',
          retryable: false,
          attempts: 0,
        });
        expect(requests).toHaveLength(1);

        expect(await settle(another(), outcome)).toBe(true);
        expect(await settle(another(), outcome)).toBe(false);
        const { replayed = false } = await another().transactional.send(send, key);
        expect([replayed, requests.length]).toEqual(outcome === 'sent' ? [true, 1] : [false, 2]);
      },
    );
  });

  test('a call whose process has died leaves an unknown outcome, and one that was only paused repairs it', async () => {
    const { store, pass } = await createStore();
    const gate = withResolvers();
    const { messaging, another, requests, received } = await startSender(async (...given) => {
      await gate.promise;
      accepted(...given);
    }, store);
    const slow = messaging.transactional.send(send, key);
    await received(1);
    expect(await settle(another(), 'not_sent')).toBe(false); // it is under way
    const other = { idempotencyKey: 'another' };
    const alsoSlow = another().transactional.send({ ...send, templateId: 'another' }, other);
    await received(2);
    await pass(30_000); // the leases of both
    const unknown = { code: 'outcome_unknown' };
    const late = within('an error', another().transactional.send(send, key));
    await expect(late).rejects.toMatchObject(unknown);
    expect(await settle(another(), 'not_sent')).toBe(true);
    gate.resolve();
    await within('both results', Promise.all([slow, alsoSlow]));
    expect(await another().transactional.send(send, key)).toEqual({ success: true, replayed: true });
    expect(requests).toHaveLength(2);
  });

  test('a call says that another one is under way if it does not end before the deadline', async () => {
    const { store } = await createStore();
    const { messaging, another, requests, received } = await startSender(faults.stall, store);
    const stop = new AbortController();
    const stalled = messaging.transactional.send(send, { ...key, signal: stop.signal });
    await received(1);
    const deadline = { ...promptClock, monotonic: () => performance.now() * 1_000 };
    const error = await rejection(another().withOptions({ clock: deadline }).transactional.send(send, key));
    expect(error).toMatchObject({ code: 'in_progress', outcome: 'unknown', retryable: true, attempts: 0 });
    expect(requests).toHaveLength(1);
    stop.abort();
    await rejection(stalled);
  });

  test('a key stands for one phone and one template', async () => {
    const { store } = await createStore();
    const { messaging, requests } = await startSender(accepted, store);
    await messaging.transactional.send(send, key);
    for (const other of [{ phone: '+15551234567' }, { templateId: 'another' }]) {
      const error = await rejection(messaging.transactional.send({ ...send, ...other }, key));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toContain('idempotencyKey was used for another phone or template');
    }
    const variables = { '1': 'Ada' };
    expect(await messaging.transactional.send({ ...send, variables }, key)).toMatchObject({ replayed: true });
    expect(requests).toHaveLength(1);
  });

  test('a sent message is known for 30 days, or as long as the client says', async () => {
    const { store, pass } = await createStore();
    const { messaging, requests } = await startSender(accepted, store);
    const brief = { idempotencyKey: 'brief' };
    await messaging.transactional.send(send, key);
    await messaging.withOptions({ idempotencyRetention: 1_000 }).transactional.send(send, brief);
    await pass(1_000);
    await messaging.transactional.send(send, brief);
    expect(requests).toHaveLength(3);
    await pass(30 * day - 2_000);
    expect(await messaging.transactional.send(send, key)).toMatchObject({ replayed: true });
    await pass(2_000);
    expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
  });

  test('a bulk run with keys sends nothing twice, without a checkpoint and in another order', async () => {
    const { store } = await createStore();
    const { messaging, another, requests } = await startSender(accepted, store);
    const inputs = ['welcome', 'order_update', 'receipt'].map((templateId) => ({ phone, templateId }));
    const options = { idempotencyKey: ({ templateId }: { templateId?: string }) => `ada ${templateId}` };
    expect(await messaging.transactional.sendMany(inputs.slice(1), options)).toMatchObject({ done: 2 });
    const again = another().transactional.sendMany(inputs.toReversed(), options);
    expect(await again).toMatchObject({ done: 3, rejected: 0, unknown: 0 });
    expect(requests.map(({ body }) => JSON.parse(body).templateId).toSorted()).toEqual([
      'order_update',
      'receipt',
      'welcome',
    ]);
  });
}
