import fc from 'fast-check';
import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { phone } from '../support/reference.js';

/** §8: the first attempt and two retries, this long after the attempt before. In milliseconds. */
const backoff = [10_000, 60_000] as const;

const start = Date.UTC(2026, 0, 1);

/** One thing that happens to a workspace. */
type Step =
  | { readonly do: 'receive'; readonly messages: number }
  | { readonly do: 'settle' }
  | { readonly do: 'advance' | 'set'; readonly by: number }
  | { readonly do: 'runToIdle' }
  | { readonly do: 'unsubscribe' };

const times = fc.oneof(fc.constantFrom(0, 1, 10_000, 60_000, 70_000), fc.integer({ min: 0, max: 100_000 }));

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('receive' as const),
        messages: fc.integer({ min: 1, max: 20 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('advance' as const, 'set' as const), by: times }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('runToIdle' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('unsubscribe' as const) }) },
  ),
  { maxLength: 12 },
);

/** How each receiver answers its first, second, … request: with a 2xx where true. Then it begins anew. */
const receivers = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), {
  minLength: 1,
  maxLength: 3,
});

/** What a receiver saw of one delivery. */
interface Seen {
  readonly at: number;
  readonly acknowledged: boolean;
}

/** What is to become of a delivery whose attempts were answered like this. */
function expectedStatus(seen: readonly Seen[]): string {
  if (seen.at(-1)?.acknowledged === true) return 'delivered';
  return seen.length > backoff.length ? 'failed' : 'pending';
}

test('every delivery is attempted when it is due until it is delivered or has failed three times', async () => {
  await fc.assert(
    fc.asyncProperty(steps, receivers, async (happening, answers) => {
      const seen = new Map<string, Seen[]>();
      const requests = answers.map(() => 0);
      await using server = createReferenceServer({
        clock: 'frozen',
        now: start,
        specGaps: { retryBackoff: backoff },
        async fetch(input, init) {
          const url = String(input);
          const receiver = Number(url.at(-1));
          const script = answers[receiver] ?? [];
          const acknowledged = script[(requests[receiver] ?? 0) % script.length] === true;
          requests[receiver] = (requests[receiver] ?? 0) + 1;
          const name = `${url} ${await new Response(init?.body).text()}`;
          seen.set(name, [...(seen.get(name) ?? []), { at: server.clock.now(), acknowledged }]);
          return new Response(null, { status: acknowledged ? 204 : 500 });
        },
      });
      const subscriptions = await Promise.all(
        answers.map((_, receiver) =>
          server.client.webhooks.create({
            url: `http://127.0.0.1:9/${receiver}`,
            events: ['message.received'],
          }),
        ),
      );
      /** How many messages there were for each subscription while there was one. */
      let expectedDeliveries = 0;

      const check = async (done: boolean) => {
        const deliveries = await server.journal.deliveries();
        expect(deliveries).toHaveLength(expectedDeliveries);
        let attempts = 0;
        for (const delivery of deliveries) {
          const name = `${delivery.url} ${new TextDecoder().decode(delivery.body)}`;
          const due = [delivery.createdAt];
          const answered = seen.get(name) ?? [];
          attempts += answered.length;
          for (const [i] of answered.entries()) due.push((due[i] ?? 0) + (backoff[i] ?? 0));
          // Each attempt was made when it was due, and the receiver saw each of them.
          expect(answered.map(({ at }) => at)).toEqual(due.slice(0, answered.length));
          expect(
            delivery.attempts.map(({ number, startedAt, error }) => [number, startedAt, error === undefined]),
          ).toEqual(answered.map(({ at, acknowledged }, i) => [i + 1, at, acknowledged]));
          if (delivery.status === 'cancelled') {
            expect(expectedStatus(answered)).toBe('pending');
            continue;
          }
          expect(delivery.status).toBe(expectedStatus(answered));
          if (delivery.status !== 'pending') continue;
          // Nothing that is due waits.
          expect(delivery.dueAt).toBe(due[answered.length]);
          expect(delivery.dueAt).toBeGreaterThan(server.clock.now());
          expect(done).toBe(false);
        }
        // Nor did a receiver see anything else.
        expect([...seen.values()].flat()).toHaveLength(attempts);
      };

      for (const step of happening) {
        if (step.do === 'receive') {
          const open = subscriptions.length;
          await Promise.all(
            Array.from({ length: step.messages }, () =>
              server.simulate.inboundMessage({ phone, body: 'Hello' }),
            ),
          );
          expectedDeliveries += step.messages * open;
          continue;
        }
        if (step.do === 'settle') await server.settled();
        if (step.do === 'advance') await server.clock.advance(step.by);
        if (step.do === 'set') await server.clock.set(server.clock.now() + step.by);
        if (step.do === 'runToIdle') await server.clock.runToIdle();
        if (step.do === 'unsubscribe') {
          const gone = subscriptions.pop();
          if (gone !== undefined) await server.client.webhooks.delete(gone.id);
          await server.settled();
        }
        await check(step.do === 'runToIdle');
      }
      await server.clock.runToIdle();
      await check(true);
    }),
    { numRuns: 50 },
  );
});
