import type { RequestFault, WorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { phone, startServer } from '../support/reference.js';
import { callerOf, environments } from './support/environments.js';

const seed: WorkspaceSeed = {
  contacts: [{ phone, properties: { firstName: 'Ada' } }],
  templates: [{ id: 'welcome', body: 'Welcome!' }],
};
const message = { phone, templateId: 'welcome' };
const lost = { name: 'ConnectionError', outcome: 'unknown' };

describe.each(Object.entries(environments))('%s', (_, environment) => {
  test('a reset after the commit: the send was made, and the client cannot know', async () => {
    const server = startServer(seed);
    const { messaging } = await callerOf(server, environment);
    const fault: RequestFault = { kind: 'reset', when: 'after_commit' };
    await server.faults.add({ operation: 'transactional.send', nth: 2, fault });
    await messaging.transactional.send(message);
    await expect(messaging.transactional.send(message)).rejects.toMatchObject(lost);
    await messaging.transactional.send(message);
    expect(await server.journal.sends()).toHaveLength(3);
    expect((await server.journal.find('request')).map(({ status, faults }) => [status, faults])).toEqual([
      [200, undefined],
      [undefined, [fault]],
      [200, undefined],
    ]);
  });

  test('a reset before the commit: the send was not made, and the client cannot know', async () => {
    const server = startServer(seed);
    const { messaging } = await callerOf(server, environment);
    await server.faults.add({
      operation: 'transactional.send',
      fault: { kind: 'reset', when: 'before_commit' },
    });
    await expect(messaging.transactional.send(message)).rejects.toMatchObject(lost);
    expect(await server.journal.sends()).toEqual([]);
    const [request] = await server.journal.find('request');
    expect(JSON.parse(new TextDecoder().decode(request?.body))).toEqual(message);
    expect(request).not.toHaveProperty('status');
    expect(request).not.toHaveProperty('response');
  });

  test('a stall mid-body: the send was made, and the client loses its patience', async () => {
    const server = startServer(seed);
    const { messaging, passTheDeadline } = await callerOf(server, environment);
    await server.faults.add({ operation: 'transactional.send', fault: { kind: 'stall' } });
    const sending = messaging.transactional.send(message);
    const outcome = expect(sending).rejects.toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    await server.journal.waitFor('request');
    passTheDeadline();
    await outcome;
    expect(await server.journal.sends()).toHaveLength(1);
  });

  test('a stall without a body after a latency is no work that anybody has to wait for', async () => {
    const server = startServer(seed);
    const { messaging, passTheDeadline } = await callerOf(server, environment, { retries: 0 });
    const { id } = await server.client.contacts.upsert({ phone });
    await server.faults.add({ operation: 'contacts.delete', fault: { kind: 'latency', duration: '1s' } });
    await server.faults.add({ operation: 'contacts.delete', fault: { kind: 'stall' } });
    const outcome = expect(messaging.contacts.delete(id)).rejects.toMatchObject({ name: 'TimeoutError' });
    await server.journal.waitFor('fault', undefined, { nth: 2 });
    await server.clock.advance('1s');
    await server.settled();
    passTheDeadline();
    await outcome;
    expect(await server.snapshot()).toMatchObject({ contacts: [] });
  });

  test('a stall ends with the server', async () => {
    // The machine's time stands still: no grace that it gives to connections can come to an end.
    const server = startServer({ ...seed, systemClock: new ManualClock() });
    const { messaging } = await callerOf(server, environment, { retries: 0 });
    const { id } = await server.client.contacts.upsert({ phone });
    await server.faults.add({ operation: 'any', fault: { kind: 'stall' } });
    const outcomes = [messaging.transactional.send(message), messaging.contacts.delete(id)].map((call) =>
      expect(call).rejects.toMatchObject(lost),
    );
    await server.journal.waitFor('fault', undefined, { nth: 2 });
    await server.close();
    await Promise.all(outcomes);
  });

  test('a rate limit: waited for, and repeated, also for a send', async () => {
    const server = startServer(seed);
    const { messaging, waits } = await callerOf(server, environment);
    await server.faults.add({
      operation: 'transactional.send',
      times: 2,
      fault: { kind: 'rate_limit', retryAfter: '7s' },
    });
    const { data, attempts } = await messaging.transactional.send(message).withResponse();
    expect([data, attempts]).toEqual([{ success: true }, 3]);
    expect(waits).toEqual([7_000, 7_000]);
    expect(await server.journal.sends()).toHaveLength(1);
    const [refused] = await server.journal.find('request');
    expect(JSON.parse(refused?.responseBody ?? '')).toMatchObject({ error: { code: 'rate_limited' } });
  });

  test('a latency lasts by the clock of the workspace, and the clock waits for the rest', async () => {
    const server = startServer({ ...seed, now: 0 });
    const { messaging } = await callerOf(server, environment);
    await server.faults.add({ operation: 'transactional.send', fault: { kind: 'latency', duration: '5s' } });
    const sending = messaging.transactional.send(message);
    await server.journal.waitFor('fault');
    await server.clock.advance('4999ms');
    expect(await server.journal.sends()).toEqual([]);
    await server.clock.advance('1m');
    expect(await server.journal.sends()).toMatchObject([{ sentAt: 5_000 }]);
    expect(await sending).toEqual({ success: true });
  });

  test('a latency after the commit: the second send times out after it was accepted', async () => {
    const server = startServer(seed);
    const { messaging, passTheDeadline } = await callerOf(server, environment);
    await server.faults.add({
      operation: 'transactional.send',
      nth: 2,
      fault: { kind: 'latency', duration: '1m', when: 'after_commit' },
    });
    await messaging.transactional.send(message);
    const sending = messaging.transactional.send(message);
    const outcome = expect(sending).rejects.toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    await server.sends.waitFor({}, { nth: 2 });
    passTheDeadline();
    await outcome;
    expect(await server.journal.sends()).toHaveLength(2);
  });

  test.each<[RequestFault, 'fault' | 'request']>([
    [{ kind: 'latency', duration: '1h' }, 'fault'],
    [{ kind: 'latency', duration: '1h', when: 'after_commit' }, 'fault'],
    [{ kind: 'stall' }, 'request'],
  ])('what %j keeps waiting is broken off by a restore, and leaves nothing behind', async (fault, sign) => {
    const server = startServer({ ...seed, systemClock: new ManualClock() });
    const { messaging } = await callerOf(server, environment, { retries: 0 });
    const snapshot = await server.snapshot();
    const takeBack = await server.faults.add({ operation: 'transactional.send', fault });
    const outcome = expect(messaging.transactional.send(message)).rejects.toMatchObject(lost);
    await server.journal.waitFor(sign);
    await new Promise(setImmediate); // half of the response goes out
    await takeBack();
    await server.restore(snapshot);
    await outcome;
    await server.clock.advance('1d');
    expect(await server.journal.sends()).toEqual([]);
    expect(await messaging.transactional.send(message)).toEqual({ success: true });
  });
});
