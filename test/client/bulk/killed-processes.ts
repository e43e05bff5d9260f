import fc from 'fast-check';
import type { BulkCheckpoint, BulkOutcome, SendInput, SendResult } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { expect } from 'vitest';
import { within } from '../../waiting.js';
import { ascending, indexOf, phoneOf } from './items.js';
import { connectionError, page, refusal } from './responses.js';
import { clientOver } from './runs.js';

/** What happens to the requests of one item. What passes happens to the first request alone. */
const itemCases = [
  'fine',
  'no contact',
  'refused by the provider',
  'lost on its way there',
  'lost on its way back',
  'answered 500 after it was sent',
  'never connected, until the next run',
  'busy for a moment',
  'a page of a gateway in place of the service',
  'a page of a gateway after it was sent',
] as const;
type ItemCase = (typeof itemCases)[number];

/** One run of the job, in a process of its own. */
interface Run {
  /** Before its step of this number it is killed, and nothing of it happens any more, or it is aborted. */
  readonly endsAt: number;
  readonly end: 'killed' | 'aborted';
  /** How many sends are paid for before a 402. */
  readonly quota: number;
  readonly stopAfter: number;
  readonly retryRejected?: boolean;
}

const endless = Number.POSITIVE_INFINITY;
const unhindered = { endsAt: endless, end: 'killed', quota: endless, stopAfter: endless } as const;

const scenario = fc.record({
  items: fc.array(fc.constantFrom(...itemCases), { minLength: 1, maxLength: 12 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  runs: fc.array(
    fc.record({
      endsAt: fc.nat(60),
      end: fc.constantFrom('killed', 'aborted'),
      quota: fc.nat(12),
      stopAfter: fc.constantFrom(2, endless),
    }),
    { maxLength: 5 },
  ),
  scheduler: fc.scheduler(),
});

/**
 * Runs one bulk job in several processes, which are killed or aborted at random steps, over a service with every kind of
 * trouble, and compares what the service, the checkpoint and the outcomes say in the end.
 *
 * @param timeLimit - After so many milliseconds it looks for no further or simpler counterexample.
 */
export async function killProcesses(numRuns: number, timeLimit: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ items, concurrency, runs, scheduler }) => {
      const environment = createEnvironment(items);
      const { server } = environment;
      const toEnd = <Value>(work: Promise<Value>) => within('the end of a run', scheduler.waitFor(work));
      for (const options of runs) await toEnd(run(options));
      // What never reached the service is taken up by a later run, so one may not be enough.
      await toEnd(run(unhindered));
      await toEnd(run(unhindered));
      for (const index of indices(environment.checkpoint().rejected)) expect(items[index]).toBe('no contact');
      // The contacts that were missing are created, and what was rejected is taken up again.
      await server.client.contacts.upsertMany(environment.inputs.map(({ phone }) => ({ phone })));
      const outcomes = await toEnd(run({ ...unhindered, retryRejected: true }));

      const sentTo = (await server.journal.sends()).map(({ phone }) => phone);
      expect(new Set(sentTo).size).toBe(sentTo.length);

      const { done, rejected, unknown } = environment.checkpoint();
      const closed = [...indices(done), ...indices(unknown)];
      // An item stays open whose template may be the cause of its refusal.
      const open = items.flatMap((itemCase, index) =>
        itemCase === 'refused by the provider' && !closed.includes(index) ? [index] : [],
      );
      expect(rejected).toEqual([]);
      expect(ascending([...closed, ...open])).toEqual(items.map((_, index) => index));
      for (const index of indices(done)) expect(sentTo).toContain(phoneOf(index));
      for (const { index, status } of environment.outcomes)
        if (status === 'done') expect(sentTo).toContain(phoneOf(index));
      // The last run names each unknown item.
      const named = outcomes.filter(({ status }) => status === 'unknown').map(({ index }) => index);
      expect(ascending(named)).toEqual(indices(unknown));
      await server.close();

      /** Runs until the end of the input, a stop, or the death of the process. */
      async function run({ endsAt, end, quota, stopAfter, retryRejected }: Run) {
        let steps = 0;
        let die = () => {};
        const death = new Promise<void>((resolve) => {
          die = resolve;
        });
        const interruption = new AbortController();
        /** Anything that reaches out of the process happens between two of these, in any order with the others. */
        const step = async (): Promise<void> => {
          await scheduler.schedule(Promise.resolve());
          steps += 1;
          if (steps > endsAt) interruption.abort();
          if (steps <= endsAt || end === 'aborted') return;
          die();
          await new Promise(() => {});
        };
        let paid = quota;
        const { transactional } = clientOver(
          async (url, init) => {
            await step();
            if (paid === 0) return refusal(402, 'quota_exceeded');
            paid -= 1;
            const response = await environment.receive(url, init);
            await step();
            return response;
          },
          { apiKey: server.apiKey },
        );
        const started = transactional.sendEach(environment.inputs, {
          concurrency,
          stopAfter,
          retryRejected,
          signal: interruption.signal,
          checkpoint: {
            async load() {
              await step();
              return environment.load();
            },
            async save(checkpoint) {
              await step();
              environment.save(checkpoint);
              await step();
            },
          },
        });
        const outcomes: typeof environment.outcomes = [];
        const toItsEnd = async () => {
          for await (const outcome of started) {
            outcomes.push(outcome);
            environment.outcomes.push(outcome);
          }
        };
        await Promise.race([toItsEnd(), death]);
        return outcomes;
      }
    }),
    { numRuns, interruptAfterTimeLimit: timeLimit },
  );
}

/** What outlives every process: the service, and where the checkpoint is kept. */
function createEnvironment(items: readonly ItemCase[]) {
  const server = createReferenceServer({
    templates: [
      { id: 'welcome', body: 'Welcome!' },
      { id: 'refused', body: 'No.', status: 'rejected' },
    ],
    contacts: items.flatMap((itemCase, index) =>
      itemCase === 'no contact' ? [] : [{ phone: phoneOf(index) }],
    ),
  });
  const requests = new Map<number, number>();
  const outcomes: BulkOutcome<SendInput, SendResult>[] = [];
  let stored: string | undefined;
  return {
    server,
    outcomes,
    inputs: items.map((itemCase, index) => ({
      phone: phoneOf(index),
      templateId: itemCase === 'refused by the provider' ? 'refused' : 'welcome',
    })),
    load: () => (stored === undefined ? undefined : JSON.parse(stored)),
    save(checkpoint: BulkCheckpoint) {
      stored = JSON.stringify(checkpoint);
    },
    checkpoint: (): BulkCheckpoint => JSON.parse(stored ?? 'null'),
    async receive(url: string, init: RequestInit): Promise<Response> {
      const index = indexOf(init);
      const number = (requests.get(index) ?? 0) + 1;
      requests.set(index, number);
      const itemCase = items[index];
      if (itemCase === 'lost on its way there' && number === 1) throw connectionError('ECONNRESET');
      if (itemCase === 'busy for a moment' && number === 1) return refusal(429, 'rate_limited');
      if (itemCase === 'never connected, until the next run' && number <= 3)
        throw connectionError('ECONNREFUSED');
      if (itemCase === 'a page of a gateway in place of the service' && number === 1) return page(400);
      const response = await server.fetch(new Request(url, init));
      if (itemCase === 'lost on its way back' && number === 1) throw connectionError('ECONNRESET');
      if (itemCase === 'answered 500 after it was sent' && number === 1) return refusal(500, 'internal');
      if (itemCase === 'a page of a gateway after it was sent' && number === 1) return page(502);
      return response;
    },
  };
}

function indices(ranges: BulkCheckpoint['done']): readonly number[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
  );
}
