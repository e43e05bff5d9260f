import { expect, test } from 'vitest';
import { settle } from '../../waiting.js';
import { rows, sends } from './items.js';
import { sent, upserted } from './responses.js';
import { clientOver, responding } from './runs.js';

/** Counts the items that were read and have not ended, of an input of so many rows. */
function* counted<Input>(inputs: Iterable<Input>, counts: { read: number; ended: number; most: number }) {
  for (const input of inputs) {
    counts.read += 1;
    counts.most = Math.max(counts.most, counts.read - counts.ended);
    yield input;
  }
}

/** `BULK_ROWS=1000000 npx vitest run test/client/bulk/memory.test.ts` takes a million. */
const total = Number(process.env.BULK_ROWS ?? 1_000);

test(`over ${total} rows, no more items are between the input and the outcomes than the concurrency`, {
  timeout: 60_000 + total,
}, async () => {
  const counts = { read: 0, ended: 0, most: 0 };
  const messaging = clientOver(async () => {
    await new Promise(setImmediate); // long enough for the run to fill all its places
    return upserted();
  });
  const summary = await messaging.contacts.upsertMany(counted(rows(total), counts), {
    concurrency: 16,
    onProgress: ({ done }) => {
      counts.ended = done;
    },
  });

  expect(summary).toMatchObject({ done: total, stoppedBecause: undefined });
  expect(counts.most).toBe(16);
});

test('a loop that takes the outcomes slowly slows the reading down', async () => {
  const counts = { read: 0, ended: 0, most: 0 };
  const run = responding(sent).transactional.sendEach(counted(sends(100), counts), { concurrency: 3 });
  for await (const _ of run) {
    counts.ended += 1;
    await settle();
    expect(counts.read - counts.ended).toBeLessThanOrEqual(3);
  }
  expect(counts.ended).toBe(100);
});
