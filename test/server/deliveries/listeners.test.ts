import {
  createReferenceServer,
  type ListenerAttempt,
  type ReferenceServer,
  type ReferenceServerOptions,
} from 'messaging-automation/server';
import { unwrapWebhook } from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { phone, startServer } from '../support/reference.js';

const url = 'http://localhost:3000/webhooks';

const say = (server: ReferenceServer, body = 'Hello') => server.simulate.inboundMessage({ phone, body });

/** A connection of a listener, until the test is over. */
function connect(server: ReferenceServer, listenerId: string) {
  const leaving = new AbortController();
  const attempts = server.listeners.attempts(listenerId, { signal: leaving.signal })[Symbol.asyncIterator]();
  onTestFinished(() => leaving.abort());
  return {
    async next(): Promise<ListenerAttempt> {
      const { done, value } = await within('an attempt for the listener', attempts.next());
      if (done === true) throw new Error('The connection has ended.');
      return value;
    },
    ended: async () => (await within('the end of the connection', attempts.next())).done,
    leave: () => leaving.abort(),
  };
}

/** A server with a listener, whose machine is in the test's hands. */
async function startListening(options: ReferenceServerOptions = {}) {
  const machine = new ManualClock();
  const server = startServer({ systemClock: machine, ...options });
  // Ends what still waits for a response, which the server would wait for.
  onTestFinished(() => machine.pass(60_000));
  const { id, secret } = await server.listeners.create({ url });
  return { machine, server, id, secret };
}

/** A server with a listener that has a connection. */
async function startConnected(options: ReferenceServerOptions = {}) {
  const listening = await startListening(options);
  return { ...listening, connection: connect(listening.server, listening.id) };
}

/**
 * A contact writes. Resolves when the attempt has begun, which nobody reads: it has a timer, and so has the listener without
 * a connection.
 */
async function sayUnheard(server: ReferenceServer, machine: ManualClock): Promise<void> {
  await say(server);
  await expect.poll(() => machine.waiting, { interval: 1 }).toBeGreaterThanOrEqual(2);
}

const deliveries = (server: ReferenceServer) => server.journal.deliveries();

describe('a listener', () => {
  test('gets each attempt as a receiver gets it, and its response is that of the attempt', async () => {
    const { server, machine, id, secret, connection } = await startConnected();
    await say(server);
    const { attemptId, deliveryId, number, event, headers, body, timeout } = await connection.next();
    expect({ number, event, timeout }).toEqual({ number: 1, event: 'message.received', timeout: 5_000 });
    const signature = headers['X-Service-Signature'] ?? '';
    expect(headers).toEqual({ 'Content-Type': 'application/json', 'X-Service-Signature': signature });
    expect(unwrapWebhook(body, signature, secret, { clock: server.clock })).toMatchObject({ event });
    machine.pass(7);
    expect(await server.listeners.respond(id, attemptId, { status: 204, responseBody: 'thanks' })).toBe(
      'recorded',
    );
    await server.settled();
    expect(await deliveries(server)).toMatchObject([
      {
        id: deliveryId,
        url: `listen:${url}`,
        status: 'delivered',
        attempts: [{ number: 1, signature, status: 204, responseBody: 'thanks', duration: 7 }],
      },
    ]);
  });

  test('has five seconds, and what it says later is too late', async () => {
    const { server, id, machine, connection } = await startConnected();
    await say(server);
    const { attemptId } = await connection.next();
    machine.pass(5_000);
    await server.settled();
    expect(await deliveries(server)).toMatchObject([
      { status: 'pending', attempts: [{ error: 'no complete response within 5 s' }] },
    ]);
    expect(await server.listeners.respond(id, attemptId, { status: 204 })).toBe('too_late');
    expect((await deliveries(server))[0]?.attempts).toHaveLength(1);
  });

  test('gets what waits when it connects, and again what it has no response to when it reconnects', async () => {
    const { server, id, machine } = await startListening();
    await sayUnheard(server, machine);
    machine.pass(1_000);
    const first = connect(server, id);
    const attempt = await first.next();
    expect(attempt.timeout).toBe(4_000);
    first.leave();
    expect(await first.ended()).toBe(true);
    machine.pass(1_000);
    const second = connect(server, id);
    expect(await second.next()).toEqual({ ...attempt, timeout: 3_000 });
    await server.listeners.respond(id, attempt.attemptId, { status: 200 });
    await server.settled();
    expect(await deliveries(server)).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }]);
  });

  test('has one connection: another one takes its place', async () => {
    const { server, id } = await startListening();
    const first = connect(server, id);
    await say(server);
    const { attemptId } = await first.next();
    const second = connect(server, id);
    expect(await second.next()).toMatchObject({ attemptId });
    expect(await first.ended()).toBe(true);
    // The end of the first one is not the end of the second.
    await say(server, 'Hello again');
    expect(await second.next()).toMatchObject({ number: 1 });
  });

  test('does not get an attempt that ended before it read of it', async () => {
    const { server, machine, connection } = await startConnected();
    await say(server, 'one');
    await connection.next();
    await sayUnheard(server, machine);
    machine.pass(5_000);
    await server.settled();
    await say(server, 'three');
    const { body } = await connection.next();
    expect(new TextDecoder().decode(body)).toContain('"three"');
  });

  test('says so where the connection is lost before the response', async () => {
    const { server, machine, connection } = await startConnected();
    await say(server);
    await connection.next();
    connection.leave();
    await connection.ended();
    machine.pass(5_000);
    await server.settled();
    const [delivery] = await deliveries(server);
    expect(delivery?.attempts[0]?.error).toBe(
      'no complete response within 5 s: the connection to `messaging-automation listen` is lost',
    );
  });

  test('gets faults as any receiver does', async () => {
    const { server, id, connection } = await startConnected({
      faults: [{ delivery: 'any', nth: 1, fault: { kind: 'duplicate' } }],
    });
    await say(server);
    const attempts: ListenerAttempt[] = [];
    for (const status of [200, 200]) {
      const attempt = await connection.next();
      attempts.push(attempt);
      await server.listeners.respond(id, attempt.attemptId, { status });
    }
    await server.settled();
    const [first, second] = attempts;
    expect(first?.attemptId).not.toBe(second?.attemptId);
    expect(first?.body).toEqual(second?.body);
    expect(await deliveries(server)).toMatchObject([
      { status: 'delivered', attempts: [{ faults: [{ kind: 'duplicate' }] }] },
    ]);
  });

  test('receives the events that it names, signed with the secret that it brings', async () => {
    const { server } = await startListening();
    const secret = 'whsec_of_the_receiver';
    const { id, ...subscription } = await server.listeners.create({
      url,
      events: ['contact.opted_in'],
      secret,
    });
    expect(subscription).toMatchObject({ secret, events: ['contact.opted_in'], enabled: true });
    expect(await server.managedWebhooks.list()).toMatchObject([{}, { id, secret }]);
    expect(await server.client.webhooks.list()).toEqual([]);
    const connection = connect(server, id);
    await say(server, 'Hello');
    await say(server, 'START');
    expect(await connection.next()).toMatchObject({ event: 'contact.opted_in' });
  });
});

describe('a listener is removed', () => {
  test('with its subscription, and what waits for it is cancelled', async () => {
    const { server, id, connection } = await startConnected();
    await say(server);
    await connection.next();
    expect(await server.listeners.remove(id)).toBe(true);
    expect(await connection.ended()).toBe(true);
    await server.settled();
    expect(await deliveries(server)).toMatchObject([
      { status: 'cancelled', attempts: [{ error: 'the listener was removed' }] },
    ]);
    expect(await server.managedWebhooks.list()).toEqual([]);
    expect(await server.listeners.remove(id)).toBe(false);
  });

  test('after a minute without a connection, and not while it has one', async () => {
    const { server, id, machine, connection } = await startConnected();
    await say(server);
    await server.listeners.respond(id, (await connection.next()).attemptId, { status: 200 });
    machine.pass(600_000);
    connection.leave();
    await connection.ended();
    machine.pass(59_999);
    await server.settled();
    expect(await server.managedWebhooks.list()).toHaveLength(1);
    machine.pass(1);
    await server.settled();
    expect(await server.managedWebhooks.list()).toEqual([]);
    await expect(connect(server, id).next()).rejects.toThrow('No listener of this workspace has this id');
  });

  test('by a restore that does not have it, and one that it has stays', async () => {
    const { server, id, connection } = await startConnected();
    const snapshot = await server.snapshot();
    const other = await server.listeners.create({ url });
    const ended = connect(server, other.id).ended();
    await server.settled();
    await server.restore(snapshot);
    expect(await ended).toBe(true);
    await say(server);
    expect(await connection.next()).toMatchObject({ listenerId: id });
    expect(await server.managedWebhooks.list()).toMatchObject([{ id }]);
  });
});

describe('after a restart', () => {
  /** Goes on from a server's state in another one, which may connect to nothing. */
  async function restart(server: ReferenceServer) {
    const machine = new ManualClock();
    const fetch = async () => expect.fail('The server connected to the receiver.');
    const next = createReferenceServer({ state: await server.state(), systemClock: machine, fetch });
    onTestFinished(() => {
      machine.pass(60_000);
      return next.close();
    });
    return { next, machine };
  }

  test('a listener that reconnects gets what got no response, with the same secret', async () => {
    const { server, id, secret } = await startListening();
    const before = connect(server, id);
    await say(server);
    const withoutResponse = await before.next();
    const { next } = await restart(server);
    const after = connect(next, id);
    const attempt = await after.next();
    expect(attempt).toMatchObject({
      deliveryId: withoutResponse.deliveryId,
      number: 1,
      body: withoutResponse.body,
    });
    await next.listeners.respond(id, attempt.attemptId, { status: 200 });
    await next.settled();
    expect(await deliveries(next)).toMatchObject([{ status: 'delivered', attempts: [{ status: 200 }] }]);
    expect(await next.managedWebhooks.list()).toMatchObject([{ id, secret }]);
    await expect(next.listeners.respond(id, withoutResponse.attemptId, { status: 200 })).rejects.toThrow(
      'no attempt with this id since the server started',
    );
  });

  test('a listener that stays away fails, and is removed after a minute', async () => {
    const { server } = await startListening();
    const { next, machine } = await restart(server);
    await sayUnheard(next, machine);
    machine.pass(5_000);
    await next.settled();
    expect((await deliveries(next))[0]?.attempts[0]?.error).toContain('start `messaging-automation listen`');
    machine.pass(55_000);
    await next.settled();
    expect(await next.managedWebhooks.list()).toEqual([]);
  });
});

test('a workspace that closes ends the connection, and hands back what got no response', async () => {
  const server = startServer({ shutdownGrace: 0 });
  const { id } = await server.listeners.create({ url });
  const connection = connect(server, id);
  await say(server);
  await connection.next();
  await server.close();
  expect(await connection.ended()).toBe(true);
  await expect(connect(server, id).next()).rejects.toThrow('closed');
  const { workspaces } = await server.state();
  expect(workspaces[0].deliveries).toMatchObject([{ status: 'pending', attempts: [] }]);
});

test('a workspace has room for ten listeners', async () => {
  const server = startServer();
  const create = () => server.listeners.create({ url });
  const created = await Promise.allSettled(Array.from({ length: 12 }, create));
  const fulfilled = created.filter((each) => each.status === 'fulfilled');
  expect(fulfilled).toHaveLength(10);
  await expect(create()).rejects.toThrow('This workspace already has 10 listeners.');
  await server.listeners.remove(fulfilled[0]?.value.id ?? '');
  expect(await create()).toMatchObject({ url: `listen:${url}` });
});

describe('refuses', () => {
  test.each([
    ['neither a status nor an error', {}],
    ['both', { status: 200, error: 'refused' }],
    ['a status that is none', { status: 99 }],
    [
      'a response that is longer than what the server reads',
      { status: 200, responseBody: 'x'.repeat(4_097) },
    ],
  ])('a response with %s', async (_, response: object) => {
    const { server, id } = await startListening();
    const report: { status: number } = Object(response);
    await expect(server.listeners.respond(id, 'attempt_1', report)).rejects.toThrow(
      'The response is invalid',
    );
  });
});
