import type { UpsertContactInput } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { clientOver, heldService, phoneOf, sends, settle } from './support.js';

/** The ordinary suite takes fewer; `BULK_ROWS=1000000 npx vitest run test/client/bulk/memory.test.ts` takes a million. */
const rows = Number(process.env.BULK_ROWS ?? 4_000);
const concurrency = 16;

describe(`over ${rows} rows`, () => {
  test('no more items are between the input and the outcomes than are worked on at once', {
    timeout: 60_000 + rows,
  }, async () => {
    let read = 0;
    let ended = 0;
    let most = 0;
    async function* contacts(): AsyncGenerator<UpsertContactInput> {
      for (let index = 0; index < rows; index += 1) {
        read += 1;
        most = Math.max(most, read - ended);
        yield { phone: phoneOf(index % 1_000) };
      }
    }
    const body = JSON.stringify({ id: 'c1', properties: {} });
    const messaging = clientOver(async () => {
      await new Promise(setImmediate); // long enough for the run to fill all its places
      return new Response(body, { status: 200 });
    });
    const summary = messaging.contacts.upsertMany(contacts(), {
      concurrency,
      onProgress: ({ done }) => {
        ended = done;
      },
    });

    expect(await summary).toMatchObject({ done: rows, stoppedBecause: undefined });
    expect(most).toBe(concurrency);
  });
});

test('who takes the outcomes slowly slows the reading down', async () => {
  let read = 0;
  function* input() {
    for (const send of sends(100)) {
      read += 1;
      yield send;
    }
  }
  const run = clientOver(async () => Response.json({ success: true })).transactional.sendEach(input(), {
    concurrency: 3,
  });
  let taken = 0;
  for await (const _ of run) {
    taken += 1;
    await settle();
    expect(read - taken).toBeLessThanOrEqual(3);
  }
  expect(taken).toBe(100);
});

test('the input is read one item at a time, and only when there is a place for it', async () => {
  let reading = 0;
  let index = 0;
  const input = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        reading += 1;
        expect(reading).toBe(1);
        await settle();
        reading -= 1;
        return { done: false as const, value: { phone: phoneOf(index++), templateId: 'welcome' } };
      },
    }),
  };
  const service = heldService();
  const controller = new AbortController();
  const summary = clientOver(service.fetch).transactional.sendMany(input, {
    concurrency: 4,
    signal: controller.signal,
  });
  while (service.waiting().length < 4) await settle();
  await settle();
  expect(index).toBe(4);

  controller.abort();
  for (const waiting of service.waiting()) service.answer(waiting);
  expect(await summary).toMatchObject({ done: 4 });
});
