import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { answer, type Behaviour, startReceiver } from '../support/receiver.js';
import { openWorkspace } from '../support/subscribed.js';

/** Meets a request when the test says so. */
function held(): { readonly behaviour: Behaviour; release(status: number): void } {
  let respond: (status: number) => void = () => {};
  return {
    behaviour: (response) => {
      respond = (status) => void response.writeHead(status).end();
    },
    release: (status) => respond(status),
  };
}

describe('after its subscription is deleted', () => {
  test('an event makes no delivery', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, unsubscribe, receive, outcomes } = openWorkspace();
    await unsubscribe(await subscribe(receiver.url));
    await receive();
    await server.settled();
    expect([receiver.received, await outcomes()]).toEqual([[], []]);
  });

  test('a delivery that waits for its first attempt is cancelled', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, unsubscribe, receive, outcomes } = openWorkspace();
    const subscription = await subscribe(receiver.url);
    await receive();
    await unsubscribe(subscription);
    await server.settled();
    expect(receiver.received).toEqual([]);
    expect(await outcomes()).toEqual([['cancelled', []]]);
  });

  test('a delivery that waits for a retry is cancelled, and its timer does no harm', async () => {
    const receiver = await startReceiver(answer(500));
    const { server, subscribe, unsubscribe, receive, outcomes, log } = openWorkspace();
    const subscription = await subscribe(receiver.url);
    const other = await startReceiver();
    await subscribe(other.url);
    await receive();
    await server.settled();
    await unsubscribe(subscription);
    await server.clock.advance('1d');
    expect(receiver.received).toHaveLength(1);
    expect((await outcomes()).map(([status]) => status)).toEqual(['cancelled', 'delivered']);
    expect(log.filter(({ type }) => type === 'error')).toEqual([]);
  });

  test.each([
    [200, 'delivered'],
    [500, 'cancelled'],
  ])('a delivery under way that ends with %i is %s', async (status, outcome) => {
    const { behaviour, release } = held();
    const receiver = await startReceiver(behaviour);
    const { server, subscribe, unsubscribe, receive, outcomes, log } = openWorkspace();
    const subscription = await subscribe(receiver.url);
    await receive();
    await receiver.arrived(1);
    await unsubscribe(subscription);
    release(status);
    await server.settled();
    await server.clock.advance('1d');
    expect(receiver.received).toHaveLength(1);
    expect((await outcomes()).map(([now]) => now)).toEqual([outcome]);
    expect(log.filter(({ type }) => type === 'delivery')).toMatchObject([{ outcome }]);
  });

  test('a delivery that was over stays as it was', async () => {
    const receiver = await startReceiver(answer(200), answer(500));
    const { server, subscribe, unsubscribe, receive, outcomes } = openWorkspace();
    const subscription = await subscribe(receiver.url);
    await receive();
    await server.settled();
    await receive();
    await server.settled();
    await server.clock.advance('1d');
    await unsubscribe(subscription);
    expect((await outcomes()).map(([status]) => status)).toEqual(['delivered', 'failed']);
  });
});

describe('after its contact is deleted', () => {
  test('a delivery goes on: what happened did happen', async () => {
    const receiver = await startReceiver(answer(500), answer(200));
    const { server, subscribe, receive, outcomes } = openWorkspace({ systemClock: new ManualClock() });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    const [contactId] = receiver.received.map(({ body }) => JSON.parse(body.toString()).data.contactId);
    await server.fetch(
      new Request(`http://localhost/api/v1/contacts/${contactId}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${server.apiKey}` },
      }),
    );
    await server.clock.advance('10s');
    expect((await outcomes()).map(([status]) => status)).toEqual(['delivered']);
  });
});
