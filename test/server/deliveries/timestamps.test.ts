import type { ReferenceServer, ReferenceServerOptions } from 'messaging-automation/server';
import { type Clock, createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { answer, startReceiver } from '../support/receiver.js';
import { phone } from '../support/reference.js';
import { openWorkspace } from '../support/subscribed.js';

type ClockOf = (server: ReferenceServer, machine: Clock) => Clock;
const byTheMachine: ClockOf = (_, machine) => machine;
const byTheWorkspace: ClockOf = ({ clock }) => clock;

/** A server on a machine whose time stands at the beginning of 2026, and a receiver of its deliveries. */
async function deliveringTo(clockOf: ClockOf, options: ReferenceServerOptions = {}) {
  const machine = new ManualClock();
  let receive = async (_request: Request) => new Response(null, { status: 500 });
  const workspace = openWorkspace({
    systemClock: machine,
    fetch: (input, init) => receive(new Request(input, init)),
    ...options,
  });
  const { server, subscribe } = workspace;
  const { secret } = await subscribe('https://app.example.com/hooks', ['message.received']);
  const receiver = createWebhookReceiver({ secret, clock: clockOf(server, machine), onRefused: () => {} });
  receiver.onAny(() => {});
  receive = toFetchHandler(receiver);
  return { ...workspace, machine };
}

/** The timestamp and the time of receipt that each delivery tells. */
async function timesIn({ journal }: Pick<ReferenceServer, 'journal'>) {
  const deliveries = await journal.deliveries();
  return deliveries.map(({ body }) => {
    const { timestamp, data } = JSON.parse(new TextDecoder().decode(body));
    return { timestamp, receivedAt: data.receivedAt };
  });
}

describe('the timestamp of a delivery', () => {
  test('is the workspace’s time, and a receiver by the workspace’s clock takes it', async () => {
    const { server, receive, outcomes } = await deliveringTo(byTheWorkspace);
    await server.clock.advance('2d');
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['delivered', [undefined]]]);
    const moved = '2026-01-03T00:00:00.000Z';
    expect(await timesIn(server)).toEqual([{ timestamp: moved, receivedAt: moved }]);
  });

  test('is the machine’s time where that is asked for, and a receiver by the machine’s clock takes it', async () => {
    const { server, receive, outcomes } = await deliveringTo(byTheMachine, { deliveryTimestamps: 'machine' });
    await server.clock.advance('2d');
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['delivered', [undefined]]]);
    expect(await timesIn(server)).toEqual([
      { timestamp: '2026-01-01T00:00:00.000Z', receivedAt: '2026-01-03T00:00:00.000Z' },
    ]);
  });

  test('is it in a retry that is stamped anew, too', async () => {
    const receiver = await startReceiver(answer(503), answer(204));
    const machine = new ManualClock();
    const { server, subscribe, receive } = openWorkspace({
      systemClock: machine,
      deliveryTimestamps: 'machine',
      specGaps: { retriedBody: 're-stamped' },
    });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    machine.pass(7);
    await server.clock.advance('1d');
    expect(receiver.received.map(({ body }) => JSON.parse(String(body)).timestamp)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.007Z',
    ]);
    const start = Date.UTC(2026, 0, 1);
    expect(await server.journal.deliveries()).toMatchObject([
      { attempts: [{ machineTime: start }, { machineTime: start + 7, timestamp: start + 7 }] },
    ]);
  });

  test('stays as it is in a first attempt, however late', async () => {
    const receiver = await startReceiver();
    const { server, subscribe, receive } = openWorkspace({ specGaps: { retriedBody: 're-stamped' } });
    await subscribe(receiver.url);
    await receive();
    const { id } = await server.deliveries.waitFor();
    await server.clock.advance('1h');
    await server.deliveries.redeliver(id);
    await server.settled();
    const [first, again] = receiver.received;
    expect(again?.body).toEqual(first?.body);
  });

  test('is in a workspace beside the first as in that, unless told', async () => {
    const { server } = openWorkspace({ systemClock: new ManualClock(), deliveryTimestamps: 'machine' });
    const timestampIn = async (workspace: ReturnType<ReferenceServer['workspace']>) => {
      await workspace.client.webhooks.create({ url: 'http://127.0.0.1:1/', events: ['message.received'] });
      await workspace.clock.advance('1h');
      await workspace.simulate.inboundMessage({ phone, body: 'Hello' });
      return (await timesIn(workspace)).map(({ timestamp }) => timestamp);
    };
    expect(await timestampIn(server.workspace())).toEqual(['2026-01-01T00:00:00.000Z']);
    expect(await timestampIn(server.workspace({ deliveryTimestamps: 'workspace' }))).toEqual([
      '2026-01-01T01:00:00.000Z',
    ]);
  });
});

const toTheWorkspacesClock =
  "create the receiver with clock: workspace.clock, or the workspace with deliveryTimestamps: 'machine'";
const toTheMachinesClock =
  "create the receiver without clock, or the workspace with deliveryTimestamps: 'workspace'";

describe('a delivery that is refused for its time', () => {
  const refused = `the receiver answered 400, not a 2xx; its timestamp is 2 d ahead of the machine's clock, so a receiver with that clock rejects it: ${toTheWorkspacesClock}`;

  test('says so in its attempt, the journal, the log and the wait', async () => {
    const { server, machine, receive, outcomes, log } = await deliveringTo(byTheMachine);
    await server.clock.advance('2d');
    const wait = expect(server.deliveries.waitFor({ contact: phone })).rejects.toThrow(refused);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', [refused]]]);
    expect(await server.journal.find('attempt')).toMatchObject([{ attempt: { error: refused } }]);
    expect(log.filter(({ type }) => type === 'delivery')).toMatchObject([{ error: refused }]);
    machine.pass(2_000);
    await wait;
  });

  test.each<[string, ClockOf, ReferenceServerOptions, string]>([
    ["6 min ahead of the machine's clock", byTheMachine, { now: '2026-01-01T00:06Z' }, toTheWorkspacesClock],
    ["3 h ahead of the machine's clock", byTheMachine, { now: '2026-01-01T03:00Z' }, toTheWorkspacesClock],
    [
      "119 min ahead of the machine's clock",
      byTheMachine,
      { now: '2026-01-01T01:59Z' },
      toTheWorkspacesClock,
    ],
    ["2 h ahead of the machine's clock", byTheMachine, { now: '2026-01-01T02:00Z' }, toTheWorkspacesClock],
    ["48 h ahead of the machine's clock", byTheMachine, { now: '2026-01-02T23:59Z' }, toTheWorkspacesClock],
    ["25 h behind the machine's clock", byTheMachine, { now: '2025-12-30T23:00Z' }, toTheWorkspacesClock],
    [
      "2 d behind this workspace's clock",
      byTheWorkspace,
      { now: '2026-01-03T00:00Z', deliveryTimestamps: 'machine' },
      toTheMachinesClock,
    ],
  ])('says that it is %s, and what to do', async (away, clockOf, options, advice) => {
    const { server, receive, outcomes } = await deliveringTo(clockOf, options);
    await receive();
    await server.settled();
    const reason = `its timestamp is ${away}, so a receiver with that clock rejects it: ${advice}`;
    expect(await outcomes()).toEqual([['pending', [`the receiver answered 400, not a 2xx; ${reason}`]]]);
  });

  test.each([400, 401, 403, 422, 500])('is told of it where the receiver answers %i', async (status) => {
    const receiver = await startReceiver(answer(status));
    const { server, subscribe, receive, outcomes } = openWorkspace({
      systemClock: new ManualClock(),
      now: '2026-01-03T00:00Z',
    });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', [refused.replace('400', String(status))]]]);
  });

  test('gives no advice where it is only old', async () => {
    const { server, receive, outcomes } = await deliveringTo(byTheWorkspace);
    await receive();
    const { id } = await server.deliveries.waitFor();
    await server.clock.advance('2d');
    await server.deliveries.redeliver(id);
    await server.settled();
    expect((await outcomes()).at(-1)).toEqual([
      'pending',
      [
        "the receiver answered 400, not a 2xx; its timestamp is 2 d behind this workspace's clock, so a receiver with that clock rejects it",
      ],
    ]);
  });
});

describe('an attempt that failed for something else', () => {
  test.each([404, 429, 503])('says nothing of the time: %i', async (status) => {
    const receiver = await startReceiver(answer(status));
    const { server, subscribe, receive, outcomes } = openWorkspace({ now: '2031-01-01T00:00Z' });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', [`the receiver answered ${status}, not a 2xx`]]]);
  });

  test.each([400, 401, 500])('nor does one whose time is right: %i', async (status) => {
    const receiver = await startReceiver(answer(status));
    const { server, subscribe, receive, outcomes } = openWorkspace();
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', [`the receiver answered ${status}, not a 2xx`]]]);
  });

  test('nor does one whose body a fault has cut off', async () => {
    const receiver = await startReceiver(answer(400));
    const { server, subscribe, receive, outcomes } = openWorkspace({
      now: '2031-01-01T00:00Z',
      faults: [{ delivery: 'any', fault: { kind: 'malformed_json' } }],
    });
    await subscribe(receiver.url);
    await receive();
    await server.settled();
    expect(await outcomes()).toEqual([['pending', ['the receiver answered 400, not a 2xx']]]);
  });
});
