import type { ReferenceServer, ReferenceServerOptions } from 'messaging-automation/server';
import { type Clock, createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { reply } from '../support/receiver.js';
import { phone } from '../support/reference.js';
import { deliverTo, openWorkspace } from '../support/subscribed.js';

const start = Date.UTC(2026, 0, 1);

type ClockOf = (server: ReferenceServer, machine: Clock) => Clock;
const byTheMachine: ClockOf = (_, machine) => machine;
const byTheWorkspace: ClockOf = ({ clock }) => clock;

/** A server on a machine whose time stands still, and a receiver of this package that uses the given clock. */
async function verifiedBy(clockOf: ClockOf, options: ReferenceServerOptions = {}) {
  const machine = new ManualClock();
  let handle = async (_request: Request) => new Response(null, { status: 500 });
  const workspace = openWorkspace({
    systemClock: machine,
    fetch: (input, init) => handle(new Request(input, init)),
    ...options,
  });
  const { server, subscribe } = workspace;
  const { secret } = await subscribe('https://app.example.com/hooks', ['message.received']);
  const receiver = createWebhookReceiver({ secret, clock: clockOf(server, machine), onRefused: () => {} });
  receiver.onAny(() => {});
  handle = toFetchHandler(receiver);
  return { ...workspace, machine };
}

/** The timestamp and the time of receipt in each delivery. */
async function timesIn({ journal }: Pick<ReferenceServer, 'journal'>) {
  const deliveries = await journal.deliveries();
  return deliveries.map(({ body }) => {
    const { timestamp, data } = JSON.parse(new TextDecoder().decode(body));
    return { timestamp, receivedAt: data.receivedAt };
  });
}

describe('the timestamp of a delivery', () => {
  test.each<[string, ClockOf, ReferenceServerOptions, string]>([
    ['workspace’s', byTheWorkspace, {}, '2026-01-03T00:00:00.000Z'],
    ['machine’s', byTheMachine, { deliveryTimestamps: 'machine' }, '2026-01-01T00:00:00.000Z'],
  ])('is the %s time, and a receiver with that clock accepts it', async (_, clockOf, options, timestamp) => {
    const { server, deliver, statuses } = await verifiedBy(clockOf, options);
    await server.clock.advance('2d');
    await deliver();
    expect(await statuses()).toEqual(['delivered']);
    expect(await timesIn(server)).toEqual([{ timestamp, receivedAt: '2026-01-03T00:00:00.000Z' }]);
  });

  test('is new in a retry that gets a new one, by the clock that sets them', async () => {
    const machine = new ManualClock();
    const { receiver, server, deliver } = await deliverTo([reply(503), reply(204)], {
      systemClock: machine,
      deliveryTimestamps: 'machine',
      specGaps: { retriedBody: 're-stamped' },
    });
    await deliver();
    machine.pass(7);
    await server.clock.advance('1d');
    expect(receiver.received.map(({ body }) => JSON.parse(String(body)).timestamp)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.007Z',
    ]);
    expect(await server.journal.deliveries()).toMatchObject([
      { attempts: [{ machineTime: start }, { machineTime: start + 7, timestamp: start + 7 }] },
    ]);
  });
});

const useWorkspaceClock =
  ": create the receiver with clock: workspace.clock, or the workspace with deliveryTimestamps: 'machine' (serve --delivery-timestamps machine)";
const useMachineClock =
  ": create the receiver without clock, or the workspace with deliveryTimestamps: 'workspace' (serve --delivery-timestamps workspace)";

/** The error of an attempt that is rejected because its timestamp is so far from a clock. */
const rejected = (away: string, advice: string, status = 400, likelier = '') =>
  `the receiver responded with ${status}; ${likelier}its timestamp is ${away}, so a receiver with that clock rejects it${advice}`;

describe('a delivery that is rejected for its time', () => {
  const twoDays = "2 d ahead of the machine's clock";

  test('says so in its attempt, the journal, the log and the wait', async () => {
    const { server, machine, deliver, outcomes, log } = await verifiedBy(byTheMachine);
    await server.clock.advance('2d');
    const error = rejected(twoDays, useWorkspaceClock);
    const wait = expect(server.deliveries.waitFor({ contact: phone })).rejects.toThrow(error);
    await deliver();
    expect(await outcomes()).toEqual([['pending', [error]]]);
    expect(await server.journal.find('attempt')).toMatchObject([{ attempt: { error } }]);
    expect(log.filter(({ type }) => type === 'delivery')).toMatchObject([{ error }]);
    machine.pass(2_000);
    await wait;
  });

  test.each([
    ["6 min ahead of the machine's clock", '2026-01-01T00:06Z'],
    ["119 min ahead of the machine's clock", '2026-01-01T01:59Z'],
    ["2 h ahead of the machine's clock", '2026-01-01T02:00Z'],
    [twoDays, '2026-01-03T00:00Z'],
    ["25 h behind the machine's clock", '2025-12-30T23:00Z'],
  ])('is %s in the words of its error', async (away, now) => {
    const { deliver, outcomes } = await verifiedBy(byTheMachine, { now });
    await deliver();
    expect(await outcomes()).toEqual([['pending', [rejected(away, useWorkspaceClock)]]]);
  });

  test('by the workspace’s clock advises to use the machine’s', async () => {
    const options = { now: '2026-01-03T00:00Z', deliveryTimestamps: 'machine' } as const;
    const { deliver, outcomes } = await verifiedBy(byTheWorkspace, options);
    await deliver();
    const error = rejected("2 d behind this workspace's clock", useMachineClock);
    expect(await outcomes()).toEqual([['pending', [error]]]);
  });

  test.each([
    [401, 'the secret of the receiver may be another one, or '],
    [422, ''],
  ])('says so for the status %i, after the likelier cause', async (status, likelier) => {
    const { deliver, outcomes } = await deliverTo([reply(status)], {
      systemClock: new ManualClock(),
      now: '2026-01-03T00:00Z',
    });
    await deliver();
    expect(await outcomes()).toEqual([['pending', [rejected(twoDays, useWorkspaceClock, status, likelier)]]]);
  });
});

const farAhead = { now: '2031-01-01T00:00Z' };
const ofTheMachine = { ...farAhead, deliveryTimestamps: 'machine' } as const;
const cutOff = { faults: [{ delivery: 'any', fault: { kind: 'malformed_json' } }] } as const;

test.each<[string, number, ReferenceServerOptions]>([
  ['the status does not reject a timestamp', 404, farAhead],
  ['the status does not reject a timestamp', 503, farAhead],
  ['the receiver itself failed', 500, farAhead],
  ['the time is right', 400, {}],
  ['it is right by the clock of a receiver that has this status', 401, ofTheMachine],
  ['a fault has cut off the body', 400, { ...farAhead, ...cutOff }],
])('the error of an attempt does not mention the time if %s: %i', async (_, status, options) => {
  const { deliver, outcomes } = await deliverTo([reply(status)], options);
  await deliver();
  expect(await outcomes()).toEqual([['pending', [`the receiver responded with ${status}`]]]);
});
