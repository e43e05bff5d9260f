import fc from 'fast-check';
import type { BulkCheckpoint, BulkOutcome, SendInput, SendResult } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { expect } from 'vitest';
import { ascending, clientOver, connectionError, indexOf, phoneOf, refusal } from './support.js';

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
] as const;
type ItemCase = (typeof itemCases)[number];

/** One process: it runs until it is killed before its step of this number, and then nothing of it happens any more. */
interface Life {
  readonly killedAt: number;
  /** How many sends are paid for before a 402. */
  readonly quota: number;
}

const scenario = fc.record({
  items: fc.array(fc.constantFrom(...itemCases), { minLength: 1, maxLength: 12 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  lives: fc.array(fc.record({ killedAt: fc.nat(60), quota: fc.nat(12) }), { maxLength: 5 }),
  scheduler: fc.scheduler(),
});

/** Kills processes of one bulk job at random steps, and sees what the service and the checkpoint hold in the end. */
export async function killProcesses(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ items, concurrency, lives, scheduler }) => {
      const environment = createEnvironment(items);
      for (const life of lives) await scheduler.waitFor(live(life));
      // What never connected is to be taken up by a later run, so one may not be enough.
      const unhindered = { killedAt: Number.POSITIVE_INFINITY, quota: Number.POSITIVE_INFINITY };
      await scheduler.waitFor(live(unhindered));
      await scheduler.waitFor(live(unhindered));

      const sentTo = (await environment.server.journal.sends()).map(({ phone }) => phone);
      expect(new Set(sentTo).size).toBe(sentTo.length);

      const { done, rejected, unknown } = environment.checkpoint();
      const closed = [...indices(done), ...indices(rejected), ...indices(unknown)];
      // An item stays open whose template may be the cause of its refusal.
      const open = items.flatMap((itemCase, index) =>
        itemCase === 'refused by the provider' && !closed.includes(index) ? [index] : [],
      );
      expect(ascending([...closed, ...open])).toEqual(items.map((_, index) => index));
      for (const index of indices(done)) expect(sentTo).toContain(phoneOf(index));
      for (const index of indices(rejected)) expect(items[index]).toBe('no contact');
      for (const { index, status } of environment.outcomes) {
        if (status === 'done') expect(sentTo).toContain(phoneOf(index));
      }
      await environment.server.close();

      /** Runs until the end of the input, a 402, or its death. */
      async function live({ killedAt, quota }: Life): Promise<void> {
        let steps = 0;
        let die = () => {};
        const death = new Promise<void>((resolve) => {
          die = resolve;
        });
        /** Anything that reaches out of the process happens between two of these, in any order with the others. */
        const step = async (): Promise<void> => {
          await scheduler.schedule(Promise.resolve());
          steps += 1;
          if (steps <= killedAt) return;
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
          { apiKey: environment.server.apiKey },
        );
        const run = transactional.sendEach(environment.inputs, {
          concurrency,
          stopAfter: Number.POSITIVE_INFINITY,
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
        const end = async () => {
          for await (const outcome of run) environment.outcomes.push(outcome);
        };
        await Promise.race([end(), death]);
      }
    }),
    { numRuns },
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
      const response = await server.fetch(new Request(url, init));
      if (itemCase === 'lost on its way back' && number === 1) throw connectionError('ECONNRESET');
      if (itemCase === 'answered 500 after it was sent' && number === 1) return refusal(500, 'internal');
      return response;
    },
  };
}

function indices(ranges: BulkCheckpoint['done']): readonly number[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
  );
}
