import {
  createMemoryKeyValueStore,
  type FetchFunction,
  type TrackInput,
  type TrackManyOptions,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until, within } from '../../waiting.js';
import { untyped } from '../support/samples.js';
import { indices, phoneOf } from './items.js';
import { busy, refusal } from './responses.js';
import { clientOver, collect, memoryCheckpoint } from './runs.js';

const accepted = () => Response.json({ accepted: true }, { status: 202 });

const events = (count: number): readonly TrackInput[] =>
  indices(count).map((index) => ({ event: `event_${index}`, phone: phoneOf(index) }));

/** The names of the events that a service got, and a client of it. */
function trackingWith(respond: (event: string, number: number) => Response | Promise<Response>) {
  const tracked: string[] = [];
  const fetch: FetchFunction = async (_, init) => {
    const { event } = JSON.parse(String(init.body));
    tracked.push(event);
    return respond(event, tracked.length);
  };
  const { events: api } = clientOver(fetch, {
    random: () => 0,
    retries: 0,
    idempotencyStore: createMemoryKeyValueStore(),
  });
  return {
    tracked,
    api,
    trackMany: (inputs: Iterable<TrackInput>, options?: TrackManyOptions) =>
      within('the end of the run', api.trackMany(inputs, options), () => tracked),
  };
}

describe('trackMany', () => {
  test('tracks each event, and loses none to a 429', async () => {
    const { tracked, trackMany } = trackingWith((_, number) => (number === 2 ? busy('1') : accepted()));
    expect(await trackMany(events(20))).toMatchObject({ done: 20, stoppedBecause: undefined });
    expect(new Set(tracked).size).toBe(20);
    expect(tracked).toHaveLength(21);
  });

  test('goes on from its checkpoint, and tracks no event twice', async () => {
    let quota = 3;
    const { tracked, trackMany } = trackingWith(() => {
      quota -= 1;
      return quota < 0 ? refusal(401, 'unauthorized') : accepted();
    });
    const options = { checkpoint: memoryCheckpoint(), concurrency: 1 };
    const first = await trackMany(events(6), options);
    expect(first).toMatchObject({ done: 3, stoppedBecause: { reason: 'not_authorized', index: 3 } });
    quota = 100;
    expect(await trackMany(events(6), options)).toMatchObject({ done: 3, skipped: 3 });
    expect(tracked).toEqual(['event_0', 'event_1', 'event_2', 'event_3', 'event_3', 'event_4', 'event_5']);
    expect(options.checkpoint.saved()).toMatchObject({ operation: 'events.track', done: [[0, 5]] });
  });

  test('records an event before its request, as keyed if it has a key, and repeats none that is unknown', async () => {
    const checkpoint = memoryCheckpoint();
    const atRequest: unknown[] = [];
    const { tracked, trackMany } = trackingWith((event) => {
      atRequest.push(checkpoint.saved());
      return event === 'event_0' ? refusal(500, 'internal_error') : accepted();
    });
    const options = { checkpoint, concurrency: 1 };
    expect(await trackMany(events(1), options)).toMatchObject({ unknown: 1 });
    expect(await trackMany(events(1), options)).toMatchObject({ unknown: 1 });
    expect(tracked).toHaveLength(1);
    await trackMany(events(2), { ...options, idempotencyKey: ({ event }) => event });
    expect(atRequest).toMatchObject([
      { unknown: [[0, 0]], keyed: [] },
      { unknown: [[0, 0]], keyed: [[1, 1]] },
    ]);
    expect(await trackMany(events(2), { ...options, retryUnknown: true })).toMatchObject({
      unknown: 1,
      skipped: 1,
    });
    expect(tracked).toEqual(['event_0', 'event_1', 'event_0']);
  });

  test('rejects wrong options, and names itself', async () => {
    const { trackMany } = trackingWith(accepted);
    const error = await trackMany(events(1), { idempotencyKey: untyped('order-1') }).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({
      operation: 'events.trackMany',
      problems: [{ field: 'idempotencyKey', message: 'must be a function, not a string' }],
    });
  });
});

test('trackEach passes each outcome to a loop: done only if the service says accepted: true', async () => {
  const { api } = trackingWith((event) =>
    event === 'event_1' ? Response.json({}, { status: 202 }) : accepted(),
  );
  const outcomes = await collect(api.trackEach(events(2), { concurrency: 1 }));
  expect(outcomes).toMatchObject([
    { index: 0, status: 'done', data: { accepted: true } },
    {
      index: 1,
      status: 'unknown',
      error: {
        message:
          'events.track returned 202 with a body that does not say accepted: true. ' +
          'The service may have processed it. Check before you retry.',
        status: 202,
        attempts: 1,
        problems: [{ field: 'accepted', message: 'is not true' }],
      },
    },
  ]);
});

test.each<[string, (contact: number) => Pick<TrackInput, 'phone' | 'contactId'>]>([
  ['phone', (contact) => ({ phone: phoneOf(contact) })],
  ['id', (contact) => ({ contactId: `contact_${contact}` })],
])('events of one contact, named by its %s, keep their order, beside those of others', async (_, named) => {
  const held: (() => void)[] = [];
  const { tracked, api } = trackingWith(async (event) => {
    if (event === 'event_0') await new Promise<void>((resolve) => held.push(resolve));
    return accepted();
  });
  const inputs = [0, 0, 1, 0, 1].map((contact, index) =>
    untyped<TrackInput>({ event: `event_${index}`, ...named(contact) }),
  );
  const summary = api.trackMany(inputs, { concurrency: 4 });
  await until('the events of the other contact', () => tracked.length === 3);
  await settle();
  expect(tracked).toEqual(['event_0', 'event_2', 'event_4']);
  held[0]?.();
  expect(await within('the summary', summary)).toMatchObject({ done: 5 });
  expect(tracked.slice(3)).toEqual(['event_1', 'event_3']);
});
