import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientOver, indexOf, memoryCheckpoint, refusal, sends, sent } from './support.js';

test('the checkpoint holds each item in one list, in ranges that neither meet nor touch, in whatever order items end', async () => {
  const fates = fc.array(fc.constantFrom('done', 'absent', 'unknown', 'open'), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(
      fates,
      fc.integer({ min: 1, max: 6 }),
      fc.scheduler(),
      async (items, concurrency, scheduler) => {
        const checkpoint = memoryCheckpoint();
        const { transactional } = clientOver(async (_, init) => {
          await scheduler.schedule(Promise.resolve());
          const fate = items[indexOf(init)];
          if (fate === 'absent') return refusal(404, 'not_found');
          if (fate === 'unknown') return refusal(500, 'internal_error');
          return fate === 'open' ? new Response('<html></html>', { status: 400 }) : sent();
        });
        const options = { checkpoint, concurrency, stopAfter: Number.POSITIVE_INFINITY };
        const { overall } = await scheduler.waitFor(transactional.sendMany(sends(items.length), options));

        const rangesOf = (fate: string) => {
          const ranges: [number, number][] = [];
          for (const [index, itsFate] of items.entries()) {
            const last = ranges.at(-1);
            if (itsFate !== fate) continue;
            if (last?.[1] === index - 1) last[1] = index;
            else ranges.push([index, index]);
          }
          return ranges;
        };
        expect(checkpoint.saved()).toMatchObject({
          done: rangesOf('done'),
          rejected: rangesOf('absent'),
          unknown: rangesOf('unknown'),
        });
        const count = (fate: string) => items.filter((itsFate) => itsFate === fate).length;
        expect(overall).toEqual({
          done: count('done'),
          rejected: count('absent'),
          unknown: count('unknown'),
        });
      },
    ),
    { numRuns: 60 },
  );
});
