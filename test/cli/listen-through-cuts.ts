import type { Clock } from 'messaging-automation';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { type Behaviour, reply, startReceiver } from '../server/support/receiver.js';
import { phone, startServer } from '../server/support/reference.js';
import { FakeTerminal } from './fake-terminal.js';
import { type Limit, startProxy } from './proxy.js';

/** On this clock the pauses between two tries are over at once, and no deadline ever comes. */
const impatientClock: Clock = {
  now: () => 0,
  setTimer(callback, delay) {
    if (delay > 2_000) return () => {};
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
};

const cutsWanted = 20;

/** A text that names an attempt: the delivery, and its response. */
const named = (deliveryId: unknown, number: unknown, status: unknown) => `${deliveryId} ${number} ${status}`;

/** Tests a listener behind a connection that is cut at random. */
export function testCuts(seeds: readonly number[]): void {
  test.each(seeds)('twenty cut connections lose no attempt and repeat none: seed %i', async (seed) => {
    const generator = xoroshiro128plus(seed);
    // No timer of the server fires, so nothing but the forwarder's word ends an attempt.
    const machine = new ManualClock();
    onTestFinished(() => machine.pass(60_000));
    const server = startServer({ systemClock: machine });
    const proxy = await startProxy(await server.listen());
    const statuses: number[] = [];
    const terminal = new FakeTerminal({
      env: { MESSAGING_AUTOMATION_API_KEY: server.apiKey },
      clock: impatientClock,
    });
    let holdsBack = false;
    const behave: Behaviour = (response) => {
      const status = uniformInt(generator, 0, 2) === 0 ? 500 : 204;
      statuses.push(status);
      if (holdsBack || uniformInt(generator, 0, 2) > 0) return reply(status)(response);
      // The receiver responds when the forwarder is connected again, and was offered the same attempt once more.
      holdsBack = true;
      const connections = terminal.complaints.split('Reconnected').length;
      void terminal
        .complaint(new RegExp(`(Reconnected((?!Reconnected)[\\s\\S])*){${connections}}`))
        .then(() => {
          holdsBack = false;
          reply(status)(response);
        });
      proxy.cut();
    };
    const receiver = await startReceiver(behave);

    const words = ['listen', '--forward-to', receiver.url, '--url', proxy.url, '--json'];
    const exit = run(words, terminal);
    await terminal.line(/"ready"/);
    proxy.limit((): Limit | undefined => {
      if (proxy.cuts >= cutsWanted) return undefined;
      const way = uniformInt(generator, 0, 1) === 0 ? 'to the server' : 'from the server';
      return { way, bytes: uniformInt(generator, 1, 1_500) };
    });
    proxy.cut();

    let messages = 0;
    while (proxy.cuts < cutsWanted || messages < 40) {
      for (const body of ['one', 'two', 'three']) await server.simulate.inboundMessage({ phone, body });
      messages += 3;
      await server.settled();
    }
    await server.clock.runToIdle();

    const deliveries = await server.journal.deliveries();
    expect(deliveries).toHaveLength(messages);
    const attempts = deliveries.flatMap(({ id, attempts: made }) =>
      made.map(({ number, status }) => named(id, number, status)),
    );
    // What the receiver saw: of each delivery, the responses in their order.
    const seen = new Map<string, number>();
    const received = receiver.received.map(({ body }, index) => {
      const delivery = deliveries.find((each) => Buffer.from(each.body).equals(body));
      const id = String(delivery?.id);
      seen.set(id, (seen.get(id) ?? 0) + 1);
      return named(id, seen.get(id), statuses[index]);
    });
    expect(received.toSorted()).toEqual(attempts.toSorted());
    for (const { status, attempts: made } of deliveries) {
      const last = made.at(-1);
      expect(status).toBe(last?.status === 204 ? 'delivered' : 'failed');
      expect(last?.status === 204 || made.length === 3).toBe(true);
    }

    terminal.stop();
    expect(await exit).toBe(0);
    const printed = terminal.printed.map((line) => JSON.parse(line)).filter(({ type }) => type === 'attempt');
    expect(printed.map((each) => named(each.deliveryId, each.number, each.status)).toSorted()).toEqual(
      attempts.toSorted(),
    );
    expect(terminal.complaints).not.toContain('too late');
    expect(await server.managedWebhooks.list()).toEqual([]);
  });
}
