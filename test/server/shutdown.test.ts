import type { ServerResponse } from 'node:http';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from './support/manual-clock.js';
import { type Behaviour, hang, reply, startReceiver } from './support/receiver.js';
import { askWith, phone, startServer } from './support/reference.js';
import { deliverTo } from './support/subscribed.js';

/** Lets everything run that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A request whose body never ends, and what ends it. */
function endlessRequest(apiKey: string): { readonly request: Request; readonly end: () => void } {
  let end = () => {};
  const body = new ReadableStream({
    start(controller) {
      end = () => {
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ phone })));
        controller.close();
      };
    },
  });
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body, duplex: 'half' as const };
  return { request: new Request('http://localhost/api/v1/contacts', init), end };
}

describe('a delivery under way when the server is closed', () => {
  test('may end within the grace, and counts', async () => {
    const machine = new ManualClock();
    const responses: ServerResponse[] = [];
    const { receiver, server, receive, outcomes } = await deliverTo(
      [(response) => void responses.push(response)],
      { systemClock: machine },
    );
    await receive();
    await receiver.arrived(1);
    const closing = server.close();
    await machine.waitFor(2);
    machine.pass(999);
    for (const response of responses) reply(200)(response);
    await closing;
    expect(await outcomes()).toEqual([['delivered', [undefined]]]);
    expect(machine.waiting).toBe(0);
  });

  test('is given up after the grace, and waits again as if it had not been attempted', async () => {
    const machine = new ManualClock();
    const { receiver, server, log, receive, deliver } = await deliverTo([reply(500), hang], {
      systemClock: machine,
    });
    await deliver();
    await server.clock.advance('5s');
    for (let i = 0; i < 20; i += 1) await receive();
    // To an endpoint that has failed, two attempts are under way at once; the others wait.
    await receiver.arrived(3);
    const [before] = (await server.state()).workspaces;
    const closing = server.close();
    await machine.waitFor(3);
    machine.pass(1_000);
    await closing;
    await server.settled();
    await expect.poll(() => machine.waiting).toBe(0);
    const state = await server.state();
    const [after] = state.workspaces;
    expect(after.deliveries).toEqual(before.deliveries);
    expect(before.deliveries.map(({ attempts }) => attempts.length)).toEqual([1, ...Array(20).fill(0)]);
    expect(log.filter(({ type }) => type === 'delivery')).toHaveLength(1);
    expect(await server.journal.find('attempt')).toHaveLength(1);

    const next = await startReceiver(reply(200));
    const subscriptions = after.subscriptions.map((each) => ({ ...each, url: next.url }));
    const deliveries = after.deliveries.map((each) => ({ ...each, url: next.url }));
    const moved = { ...state, workspaces: [{ ...after, subscriptions, deliveries }] as const };
    await using another = createReferenceServer({ state: moved });
    await another.settled();
    expect(next.received).toHaveLength(20);
    await another.clock.advance('5s');
    expect(next.received).toHaveLength(21);
    for (const { status } of await another.journal.deliveries()) expect(status).toBe('delivered');
  });

  test('is given up at once where it waits for a clock that stands still', async () => {
    const machine = new ManualClock();
    const { receiver, server, deliver, outcomes } = await deliverTo([reply(200)], { systemClock: machine });
    await server.faults.add({ delivery: 'any', fault: { kind: 'latency', duration: '1m' } });
    await deliver();
    await server.close();
    expect(await outcomes()).toEqual([['pending', []]]);
    expect(receiver.received).toHaveLength(0);
  });
});

test('no workspace begins an attempt while the server is closed', async () => {
  const machine = new ManualClock();
  const options = { clock: 'flowing', systemClock: machine, shutdownGrace: '30s' } as const;
  const server = startServer(options);
  const second = server.workspace();
  const receivers = [await startReceiver(reply(500)), await startReceiver(reply(500))];
  for (const [index, workspace] of [server, second].entries()) {
    const url = receivers[index]?.url ?? '';
    await workspace.client.webhooks.create({ url, events: ['message.received'] });
    await workspace.simulate.inboundMessage({ phone, body: 'Hello' });
  }
  await server.settled();
  const { request, end } = endlessRequest(server.apiKey);
  const responding = server.fetch(request);
  // Ends the close also if an expectation fails.
  onTestFinished(() => machine.pass(60_000));
  const closing = server.close();
  await machine.waitFor(1);
  machine.pass(10_000);
  await server.settled();
  end();
  await responding;
  await closing;
  expect(receivers.map(({ received }) => received.length)).toEqual([1, 1]);
});

test('a request under way when the server is closed is not waited for after the grace', async () => {
  const machine = new ManualClock();
  const server = startServer({ systemClock: machine, shutdownGrace: '3s' });
  const { request, end } = endlessRequest(server.apiKey);
  const responding = server.fetch(request);
  let closed = false;
  const closing = server.close().then(() => {
    closed = true;
  });
  await machine.waitFor(1);
  machine.pass(2_999);
  await turn();
  expect(closed).toBe(false);
  machine.pass(1);
  await closing;
  end();
  await responding;
});

test('closing a workspace gives up its own deliveries at once, and no others', async () => {
  const held: ServerResponse[] = [];
  const hold: Behaviour = (response) => void held.push(response);
  const [ofOne, ofTwo] = [await startReceiver(hang), await startReceiver(hold)];
  const server = startServer();
  const [one, two] = [server.workspace(), server.workspace()];
  for (const [workspace, { url }] of [
    [one, ofOne],
    [two, ofTwo],
  ] as const) {
    await askWith(server, workspace)('POST', '/v1/webhooks', { url, events: ['message.received'] });
    await workspace.simulate.inboundMessage({ phone, body: 'Hello' });
  }
  await Promise.all([ofOne.arrived(1), ofTwo.arrived(1)]);
  await one.close();
  for (const response of held.splice(0)) reply(200)(response);
  await two.settled();
  expect(await two.journal.deliveries()).toMatchObject([{ status: 'delivered', attempts: [{ number: 1 }] }]);
  await two.simulate.inboundMessage({ phone, body: 'Hello again' });
  await ofTwo.arrived(2);
  expect(ofOne.received).toHaveLength(1);
  for (const response of held.splice(0)) reply(200)(response);
});
