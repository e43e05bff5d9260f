import {
  type ClientOptions,
  IdempotencyError,
  InvalidInputError,
  type KeyValueService,
  type MessagingAutomation,
  type SendGuard,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { digest } from '../../../src/key-value/records.js';
import { until, within, withResolvers } from '../../waiting.js';
import { type Behaviour, faults, inTurn, reply } from '../support/behaviours.js';
import { phone, send } from '../support/samples.js';
import { clientOf, rejection, startClient } from '../support/service.js';

export const accepted = reply(200, { success: true }, { 'x-request-id': 'req_1' });
export const key = { idempotencyKey: 'order-1001-shipped' };

/** The clock of a process. Short waits are over at the next turn of the event loop; no deadline comes, and no lease is renewed. */
export function promptClock() {
  let now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    setTimer(callback: () => void, delay: number) {
      if (delay >= 10_000) return () => {};
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
    /** Time passes while the process stands still: it does nothing meanwhile. */
    standStill(milliseconds: number) {
      now += milliseconds;
    },
  };
}

/** A service, and the client of a process that uses the store. */
export async function startSender(behave: Behaviour, idempotencyStore: KeyValueService) {
  const options = () => ({ idempotencyStore, clock: promptClock(), retries: 0 });
  const service = await startClient(behave, options());
  const another = (more: ClientOptions = {}) => clientOf(service, { ...options(), ...more });
  return { ...service, another };
}

/** A guard that says that it is asked, and lets the message out when the gate opens. */
export const guardBehind = (
  asked: { readonly resolve: () => void },
  gate: { readonly promise: Promise<void> },
): SendGuard => ({
  async check() {
    asked.resolve();
    await gate.promise;
    return undefined;
  },
});

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
    const deadline = { ...promptClock(), monotonic: () => performance.now() * 1_000 };
    const error = await rejection(another().withOptions({ clock: deadline }).transactional.send(send, key));
    expect(error).toMatchObject({ code: 'in_progress', outcome: 'unknown', retryable: true, attempts: 0 });
    expect(requests).toHaveLength(1);
    stop.abort();
    await rejection(stalled);
  });

  test('a call that waits for a key has a lease once the key is its own', async () => {
    const { store: plain, pass } = await createStore();
    let looks = 0;
    const store: KeyValueService = {
      ...plain,
      get(name) {
        if (name.startsWith('lease:')) looks += 1;
        return plain.get(name);
      },
    };
    const [first, second] = [withResolvers(), withResolvers()];
    const gates = [first, second];
    const { messaging, another, requests, received } = await startSender((response, request, number) => {
      const behave = number === 1 ? reply(404, { error: { code: 'not_found' } }) : accepted;
      void gates[number - 1]?.promise.then(() => behave(response, request, number));
    }, store);
    const rejected = rejection(messaging.transactional.send(send, key));
    await received(1);
    const waiting = another().transactional.send(send, key);
    await until('the second call to wait for the key', () => looks > 1);
    await pass(20_000);
    first.resolve();
    expect(await rejected).toMatchObject({ outcome: 'rejected' });
    await received(2);
    await pass(20_000); // 40 s after the call has begun to wait, and 20 s after it has the key
    expect(await settle(another(), 'not_sent')).toBe(false);
    second.resolve();
    expect(await within('the result', waiting)).toEqual({ success: true });
    expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
    expect(requests).toHaveLength(2);
  });

  describe('a call that was paused for longer than its lease, before its request,', () => {
    /** A call whose guard holds it up, while time passes for its process and for the store. */
    async function standingStill() {
      const { store, pass } = await createStore();
      const [asked, gate, clock] = [withResolvers(), withResolvers(), promptClock()];
      const guard = guardBehind(asked, gate);
      const { another, ...service } = await startSender(accepted, store);
      const slow = another({ clock, guards: [guard], timeout: 600_000 }).transactional.send(send, key);
      await within('the guard', asked.promise);
      clock.standStill(30_000);
      await pass(30_000);
      return { ...service, another, slow, goOn: () => gate.resolve() };
    }

    test.each(['sent', 'not_sent'] as const)(
      'sends nothing if somebody has settled its key as %s',
      async (outcome) => {
        const { another, requests, slow, goOn } = await standingStill();
        expect(await settle(another(), outcome)).toBe(true);
        goOn();
        expect(await rejection(slow)).toMatchObject({
          code: 'key_lost',
          outcome: 'not_sent',
          retryable: true,
          attempts: 0,
        });
        expect(requests).toHaveLength(0);
        const again = await another().transactional.send(send, key);
        expect([again.replayed, requests.length]).toEqual(outcome === 'sent' ? [true, 0] : [undefined, 1]);
      },
    );

    test('takes its key again if nobody has, and sends once', async () => {
      const { another, requests, slow, goOn } = await standingStill();
      const late = another().transactional.send(send, key);
      await expect(late).rejects.toMatchObject({ code: 'outcome_unknown' });
      goOn();
      expect(await within('the result', slow)).toEqual({ success: true });
      expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
      expect(requests).toHaveLength(1);
    });
  });

  test('a key belongs to one base URL, in every call and when it is settled', async () => {
    const { store } = await createStore();
    const staging = await startSender(faults.reset, store);
    const production = await startSender(accepted, store);
    await rejection(staging.messaging.transactional.send(send, key));
    const { transactional } = production.messaging;
    for (const call of [
      () => transactional.send(send, key),
      () => transactional.settle(key.idempotencyKey, 'not_sent'),
    ]) {
      const error = await rejection(call());
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toContain('idempotencyKey was used with another base URL');
    }
    expect(await production.messaging.transactional.unsettled()).toEqual([]);
    expect(await staging.messaging.transactional.unsettled()).toHaveLength(1);
    expect(production.requests).toHaveLength(0);
    expect(await settle(staging.messaging, 'sent')).toBe(true);
    expect(await rejection(production.messaging.transactional.send(send, key))).toBeInstanceOf(
      InvalidInputError,
    );
  });

  test('an event is tracked once for its key, which a message may have, too', async () => {
    const { store } = await createStore();
    const tracked = reply(202, { accepted: true }, { 'x-request-id': 'req_2' });
    const { messaging, another, requests } = await startSender(
      (response, request, number) =>
        (request.url.endsWith('/events') ? tracked : accepted)(response, request, number),
      store,
    );
    const event = { event: 'order_placed', phone };
    expect(await messaging.events.track(event, key)).toEqual({ accepted: true });
    expect(await messaging.transactional.send(send, key)).toEqual({ success: true });
    const { data, requestId, attempts } = await another().events.track(event, key).withResponse();
    expect({ data, requestId, attempts }).toEqual({
      data: { accepted: true, replayed: true },
      requestId: 'req_2',
      attempts: 0,
    });
    expect(requests).toHaveLength(2);
    for (const other of [
      { event: 'order_paid', phone },
      { event: 'order_placed', phone: '+15551234567' },
      { event: 'order_placed', contactId: 'contact_1' },
    ]) {
      const error = await rejection(another().events.track(other, key));
      expect(String(error)).toContain('idempotencyKey was used for another contact or event');
    }
    expect(requests).toHaveLength(2);
  });

  test.each<[string, Behaviour]>([
    ['the connection broke', faults.reset],
    ['the service did not say that it accepted it', reply(202, {})],
  ])('an event is unknown if %s, until somebody settles it', async (_, unclear) => {
    const { store } = await createStore();
    const { messaging, requests } = await startSender(inTurn(unclear, reply(202, { accepted: true })), store);
    const client = messaging.withOptions({ onDrift: () => {} });
    const track = () => client.events.track({ event: 'order_placed', contactId: 'contact_1' }, key);
    await track().catch((error) => expect(error.outcome).toBe('unknown'));
    const error = await rejection(track());
    expect(error).toMatchObject({ code: 'outcome_unknown', operation: 'events.track' });
    expect(String(error)).toContain('call events.settle');
    expect(await client.transactional.settle(key.idempotencyKey, 'not_sent')).toBe(false);
    expect(await client.events.settle(key.idempotencyKey, 'not_sent')).toBe(true);
    expect(await track()).toEqual({ accepted: true });
    expect(requests).toHaveLength(2);
  });

  test('what is unsettled is listed with its key, what it is about and since when, until it is settled', async () => {
    const { store, pass } = await createStore();
    const stalled = withResolvers();
    const { messaging, another, received } = await startSender(async (response, _, number) => {
      if (number > 3) await stalled.promise;
      faults.reset(response);
    }, store);
    const keys = { first: `ada ${phone}`, second: 'order-2', event: 'order-2' };
    const early = another({ clock: promptClock() });
    await rejection(early.transactional.send(send, { idempotencyKey: keys.first }));
    const clock = promptClock();
    clock.standStill(1_000);
    const later = another({ clock });
    await rejection(
      later.transactional.send({ ...send, templateId: 'receipt' }, { idempotencyKey: keys.second }),
    );
    await rejection(
      later.events.track({ event: 'order_placed', contactId: 'contact_1' }, { idempotencyKey: keys.event }),
    );
    const underWay = rejection(messaging.transactional.send(send, key));
    await received(4);

    const baseUrl = JSON.parse(JSON.stringify(messaging)).baseUrl;
    const since = Date.UTC(2026, 0, 1);
    const first = {
      idempotencyKey: keys.first,
      operation: 'transactional.send',
      about: send.templateId,
      contact: '+***50',
      since,
      baseUrl,
    };
    const second = { ...first, idempotencyKey: keys.second, about: 'receipt', since: since + 1_000 };
    expect(await messaging.transactional.unsettled()).toEqual([first, second]);
    expect(await messaging.transactional.unsettled({ limit: 1 })).toHaveLength(1);
    expect(await messaging.events.unsettled()).toEqual([
      {
        ...second,
        operation: 'events.track',
        about: 'order_placed',
        contact: 'contact_1',
        idempotencyKey: keys.event,
      },
    ]);

    await pass(30_000); // the lease of the call that is under way
    expect(await messaging.transactional.unsettled()).toHaveLength(3);
    for (const { idempotencyKey = '' } of await messaging.transactional.unsettled())
      expect(await messaging.transactional.settle(idempotencyKey, 'sent')).toBe(true);
    expect(await messaging.transactional.unsettled()).toEqual([]);
    stalled.resolve();
    await underWay;
  });

  test('the store forgets the key itself when its outcome is known', async () => {
    const { store } = await createStore();
    const gate = withResolvers();
    const { messaging, another, received } = await startSender(async (...given) => {
      await gate.promise;
      accepted(...given);
    }, store);
    const texts = async () => {
      const found: string[] = [];
      for await (const { value } of store.list?.('send:', '') ?? []) found.push(value);
      return found.join();
    };
    const call = messaging.transactional.send(send, key);
    await received(1);
    expect(await texts()).toContain(key.idempotencyKey);
    gate.resolve();
    await call;
    for (const secret of [key.idempotencyKey, send.phone, send.phone.slice(1), send.templateId])
      expect(await texts()).not.toContain(secret);
    expect(await another().transactional.send(send, key)).toMatchObject({ replayed: true });
  });

  test('a record that a process of 0.2.0 has written is known', async () => {
    const { store } = await createStore();
    const { messaging, requests } = await startSender(accepted, store);
    const use = await digest(JSON.stringify([key.idempotencyKey, send.phone, send.templateId]));
    const name = `send:${await digest(key.idempotencyKey)}`;
    const record = { state: 'sending', call: 'a call of 0.2.0', use };
    await store.set(name, JSON.stringify(record), 60_000);
    expect(await rejection(messaging.transactional.send(send, key))).toMatchObject({
      code: 'outcome_unknown',
    });
    expect(await messaging.transactional.unsettled()).toMatchObject([
      { idempotencyKey: undefined, about: undefined },
    ]);
    await store.set('lease:a call of 0.2.0', 'alive', 60_000);
    expect(await settle(messaging, 'sent')).toBe(false);
    expect(await messaging.transactional.unsettled()).toEqual([]);
    await store.set(name, JSON.stringify({ ...record, state: 'sent', requestId: 'req_0' }), 60_000);
    const { data, requestId } = await messaging.transactional.send(send, key).withResponse();
    expect([data.replayed, requestId]).toEqual([true, 'req_0']);
    expect(requests).toHaveLength(0);
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
