import type {
  BulkCheckpoint,
  BulkOptions,
  BulkSummary,
  CheckpointStore,
  ClientOptions,
  Clock,
  FetchFunction,
  MessagingAutomation,
  SendManyOptions,
} from 'messaging-automation';
import { settle, until, within } from '../../waiting.js';
import { manualClock } from '../support/clocks.js';
import { unserved } from '../support/samples.js';
import { clientOf } from '../support/service.js';
import { indexOf, sends } from './items.js';
import { sent } from './responses.js';

/** A client whose requests go to a function. */
export function clientOver(fetch: FetchFunction, options: ClientOptions = {}): MessagingAutomation {
  return clientOf(unserved, { clock: leapingClock(), fetch, ...options });
}

/** A client of a service that responds to each item by its index, and what reached that service. */
export function responding(
  received: (index: number, number: number) => Response | Promise<Response>,
  options: ClientOptions = {},
) {
  /** The index of each request, and of those that were accepted. */
  const requests: number[] = [];
  const accepted: number[] = [];
  let respond = received;
  const { transactional, contacts } = clientOver(async (_, init) => {
    const index = indexOf(init);
    requests.push(index);
    const response = await respond(index, requests.length);
    if (response.ok) accepted.push(index);
    return response;
  }, options);
  const underWay = () => `requests of the items ${requests}`;
  return {
    /** A checkpoint for runs that keep one. */
    checkpoint: memoryCheckpoint(),
    transactional,
    sendMany: (
      inputs: Parameters<MessagingAutomation['transactional']['sendMany']>[0],
      given?: SendManyOptions,
    ) => within('the end of the run', transactional.sendMany(inputs, given), underWay),
    upsertMany: (inputs: Parameters<MessagingAutomation['contacts']['upsertMany']>[0], given?: BulkOptions) =>
      within('the end of the run', contacts.upsertMany(inputs, given), underWay),
    requests,
    accepted,
    /** Changes how the service responds from now on. */
    becomes(next: (index: number, number: number) => Response) {
      respond = next;
    },
  };
}

/**
 * A clock that leaps to the end of each wait as soon as somebody waits. The deadlines of calls, which are as long as the
 * client's default, never come.
 */
export function leapingClock(): Clock & { readonly waits: readonly number[] } {
  let now = Date.UTC(2026, 0, 1);
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    setTimer(callback, delay) {
      if (delay === 30_000) return () => {};
      let cancelled = false;
      setImmediate(() => {
        if (cancelled) return;
        waits.push(delay);
        now += delay;
        callback();
      });
      return () => {
        cancelled = true;
      };
    },
  };
}

/** A service that holds every request until the test responds to it. */
export function heldService() {
  const held = new Map<number, (response: Response) => void>();
  const fetch: FetchFunction = (_, init) => new Promise((resolve) => held.set(indexOf(init), resolve));
  const waiting = () => [...held.keys()];

  /** Responds to the requests of these items, and lets everything happen that follows from it. */
  async function received(items: number | readonly number[], response: () => Response = sent): Promise<void> {
    for (const index of [items].flat()) {
      const resolve = held.get(index);
      if (resolve === undefined) throw new Error(`No request of item ${index} waits, only of ${waiting()}.`);
      held.delete(index);
      resolve(response());
    }
    await settle();
  }

  return {
    fetch,
    response: received,
    /** The items whose requests wait for their responses. */
    waiting,
    /** Waits until so many requests wait for their responses. */
    holds: (count: number) => until(`${count} requests at once`, () => held.size === count, waiting),
    /** Responds to everything from now on, until the run has ended. */
    async finish(summary: Promise<BulkSummary>): Promise<BulkSummary> {
      let ended = false;
      const note = () => {
        ended = true;
      };
      summary.then(note, note);
      await until(
        'the end of the run',
        () => {
          if (held.size > 0) void received(waiting());
          return ended;
        },
        waiting,
      );
      return summary;
    },
  };
}

/** A run of sends over a service that holds every request, with a clock that stands still and no jitter. */
export function heldRun(
  inputs: number | Parameters<MessagingAutomation['transactional']['sendMany']>[0],
  options: SendManyOptions = {},
  client: ClientOptions = {},
) {
  const clock = manualClock();
  const service = heldService();
  const { transactional } = clientOver(service.fetch, { clock, random: () => 0, ...client });
  const summary = transactional.sendMany(typeof inputs === 'number' ? sends(inputs) : inputs, options);
  return {
    clock,
    service,
    summary,
    async advance(duration: number) {
      clock.advance(duration);
      await settle();
    },
  };
}

/** Keeps the checkpoint as text, as a file would. */
export function memoryCheckpoint(): CheckpointStore & {
  readonly saved: () => BulkCheckpoint | undefined;
  readonly saves: () => number;
} {
  let text: string | undefined;
  let saves = 0;
  return {
    load: async () => (text === undefined ? undefined : JSON.parse(text)),
    save: async (checkpoint) => {
      text = JSON.stringify(checkpoint);
      saves += 1;
    },
    saved: () => (text === undefined ? undefined : JSON.parse(text)),
    saves: () => saves,
  };
}

export function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  const toItsEnd = async () => {
    for await (const item of items) collected.push(item);
    return collected;
  };
  return within('the end of the outcomes', toItsEnd(), () => `${collected.length} outcomes`);
}
