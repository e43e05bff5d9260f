import { getEventListeners } from 'node:events';
import type {
  BulkCheckpoint,
  BulkOutcome,
  BulkRun,
  ClientOptions,
  MessagingAutomation,
  SendInput,
  UpsertContactInput,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { Chance } from '../../soak/chance.js';
import { settle, until, within } from '../../waiting.js';
import { eagerClock } from '../support/clocks.js';
import { indices, phoneOf } from './items.js';
import { busy, connectionError, refusal, sent, upserted } from './responses.js';
import { clientOver, collect, memoryCheckpoint } from './runs.js';

/** Items of contacts. Each item is known by its index, which is in its template or in a property. */
const sendsTo = (...contacts: readonly number[]): readonly SendInput[] =>
  contacts.map((contact, index) => ({ phone: phoneOf(contact), templateId: `item ${index}` }));
const rowsOf = (...contacts: readonly number[]): readonly UpsertContactInput[] =>
  contacts.map((contact, index) => ({ phone: phoneOf(contact), properties: { item: index } }));

/** The contact and the index of the item that a request is for. */
function itemOf(init: RequestInit): { readonly phone: string; readonly item: number } {
  const { phone, templateId = '', properties = {} } = JSON.parse(String(init.body));
  return { phone, item: properties.item ?? Number(templateId.replace(/\D*/, '')) };
}

/** A service that responds to each item as the test says, and notes what overlaps. */
function serviceOf(respond: (item: number, number: number) => Response | Promise<Response>) {
  const requests: number[] = [];
  const accepted: number[] = [];
  const underWay = new Map<string, number>();
  const overlapping: (readonly [number, number])[] = [];
  let respondNow = respond;
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    const { phone, item } = itemOf(init);
    const other = underWay.get(phone);
    if (other !== undefined) overlapping.push([other, item]);
    underWay.set(phone, item);
    requests.push(item);
    try {
      const response = await respondNow(item, requests.length);
      if (response.ok) accepted.push(item);
      return response;
    } finally {
      underWay.delete(phone);
    }
  };
  return {
    /** The item of each request, and of those that were accepted. */
    requests,
    accepted,
    overlapping,
    client: (options: ClientOptions = {}): MessagingAutomation =>
      clientOver(fetch, { random: () => 0, retries: 0, ...options }),
    becomes(next: typeof respond) {
      respondNow = next;
    },
  };
}

/** A service whose requests wait for the test. */
function heldItems() {
  const held = new Map<number, (response: Response) => void>();
  const service = serviceOf((item) => new Promise<Response>((resolve) => held.set(item, resolve)));
  const waiting = () => [...held.keys()];
  return {
    ...service,
    waiting,
    holds: (...items: readonly number[]) =>
      until(`requests of ${items}`, () => items.every((item) => held.has(item)), waiting),
    async respond(item: number, response = sent()): Promise<void> {
      const resolve = held.get(item);
      if (resolve === undefined) throw new Error(`No request of item ${item} waits, only of ${waiting()}.`);
      held.delete(item);
      resolve(response);
      await settle();
    },
  };
}

const outcomesOf = async <Input, Data>(run: BulkRun<Input, Data>) =>
  new Map((await collect(run)).map((outcome) => [outcome.index, outcome] as const));

const errorOf = (outcome: BulkOutcome<unknown, unknown> | undefined) =>
  outcome !== undefined && outcome.status !== 'done' ? outcome.error : undefined;

const unreachable = () => Promise.reject(connectionError('ECONNREFUSED'));

const heldBack = (operation: string, earlier: number) => ({
  status: 'rejected',
  error: {
    name: 'RequestError',
    message:
      `${operation} was not made for this item, because an earlier item of the same contact is still open: ` +
      `the one at index ${earlier}. Nothing was sent. The next run makes both calls in their order.`,
    operation,
    outcome: 'not_sent',
    retryable: true,
    attempts: 0,
  },
});

describe('an item', () => {
  test.each([2, 8])(
    'waits for an earlier one of its contact, beside others, with concurrency %d',
    async (concurrency) => {
      const service = heldItems();
      const summary = service.client().transactional.sendMany(sendsTo(0, 0, 1, 0, 1), { concurrency });
      await service.holds(0, 2);
      await settle();
      expect(service.waiting()).toEqual([0, 2]);
      await service.respond(2);
      expect(service.waiting()).toEqual([0, 4]);
      await service.respond(0);
      expect(service.waiting()).toEqual([4, 1]);
      await service.respond(4);
      await service.respond(1);
      await service.respond(3);
      expect(await within('the summary', summary)).toMatchObject({ done: 5 });
    },
  );

  test('that waits takes no place of others', async () => {
    const service = heldItems();
    const summary = service.client().transactional.sendMany(sendsTo(0, 0, 0, 0, 1), { concurrency: 2 });
    await service.holds(0, 4);
    for (const item of [4, 0, 1, 2, 3]) await service.respond(item);
    expect(await within('the summary', summary)).toMatchObject({ done: 5 });
  });

  test('that waited gives its place to another, however many there are of its contact', async () => {
    const service = heldItems();
    const contacts = [...Array<number>(100).fill(0), 1];
    const summary = service.client().transactional.sendMany(sendsTo(...contacts), { concurrency: 2 });
    await service.holds(0);
    for (const item of indices(contacts.length)) await service.respond(item);
    expect(await within('the summary', summary)).toMatchObject({ done: 101 });
  });

  test('waits while the one before it waits on Retry-After', async () => {
    const service = serviceOf((_, number) => (number === 1 ? busy('4') : sent()));
    const summary = await service.client().transactional.sendMany(sendsTo(0, 0, 0), { concurrency: 8 });
    expect(summary).toMatchObject({ done: 3 });
    expect(service.requests).toEqual([0, 0, 1, 2]);
  });

  test('waits while the call before it is retried', async () => {
    const service = serviceOf((_, number) => (number === 1 ? refusal(500, 'internal_error') : upserted()));
    const { contacts } = service.client({ retries: 1 });
    expect(await contacts.upsertMany(rowsOf(0, 0))).toMatchObject({ done: 2 });
    expect(service.requests).toEqual([0, 0, 1]);
  });

  test('waits until the loop has taken the outcome of the one before it', async () => {
    const service = heldItems();
    const outcomes = service.client().transactional.sendEach(sendsTo(0, 0))[Symbol.asyncIterator]();
    const first = outcomes.next();
    await service.holds(0);
    await service.respond(0);
    expect(await first).toMatchObject({ value: { index: 0 } });
    await settle();
    expect(service.waiting()).toEqual([1]);
    await service.respond(1);
    expect(await outcomes.next()).toMatchObject({ value: { index: 1 } });
    await outcomes.return?.();
  });

  test('whose phone cannot be read waits for nobody, and its call reports it', async () => {
    const unreadable = (): SendInput => ({
      templateId: 'item 9',
      get phone(): string {
        throw new Error('no row');
      },
    });
    const service = heldItems();
    let ended = 0;
    const onProgress = () => {
      ended += 1;
    };
    const inputs = [...sendsTo(0), unreadable(), unreadable()];
    const outcomes = outcomesOf(service.client().transactional.sendEach(inputs, { onProgress }));
    await service.holds(0);
    await until('both to end', () => ended === 2);
    await service.respond(0);
    for (const index of [1, 2])
      expect(errorOf((await outcomes).get(index))).toMatchObject({ name: 'InvalidInputError' });
  });
});

describe('reading ahead', () => {
  test('ends when sixteen items for each place wait behind their contacts', async () => {
    const service = heldItems();
    let read = 0;
    function* inputs() {
      for (const input of sendsTo(...Array<number>(500).fill(0))) {
        read += 1;
        yield input;
      }
    }
    const controller = new AbortController();
    const { signal } = controller;
    const summary = service.client().transactional.sendMany(inputs(), { concurrency: 3, signal });
    await service.holds(0);
    await settle();
    expect(read).toBe(1 + 16 * 3);
    await service.respond(0);
    expect(read).toBe(2 + 16 * 3);
    controller.abort();
    await service.respond(1);
    expect(await within('the summary', summary)).toMatchObject({ done: 2, rejected: 0 });
  });

  test('goes on once they have ended, for the next contact too', async () => {
    const contacts = indices(400).map((index) => Math.floor(index / 100));
    const service = serviceOf(sent);
    const { transactional } = service.client();
    const summary = within('the summary', transactional.sendMany(sendsTo(...contacts), { concurrency: 2 }));
    expect(await summary).toMatchObject({ done: 400 });
    expect(service.overlapping).toEqual([]);
    for (const contact of indices(4)) {
      const own = service.accepted.filter((item) => contacts[item] === contact);
      expect(own).toEqual(indices(400).filter((item) => contacts[item] === contact));
    }
  });
});

describe('if an item stays open, the later ones of its contact stay open too', () => {
  test('where its cause is outside the item, and the next run makes them in order', async () => {
    const service = serviceOf((item) => (item === 0 ? unreachable() : sent()));
    const checkpoint = memoryCheckpoint();
    const { transactional } = service.client();
    const run = transactional.sendEach(sendsTo(0, 1, 0, 0, 1), { checkpoint });
    const outcomes = await outcomesOf(run);

    expect(errorOf(outcomes.get(0))).toMatchObject({ name: 'ConnectionError' });
    expect(outcomes.get(2)).toMatchObject(heldBack('transactional.send', 0));
    expect(outcomes.get(3)).toMatchObject(heldBack('transactional.send', 0));
    expect(service.accepted).toEqual([1, 4]);
    expect(await run.summary()).toMatchObject({
      done: 2,
      rejected: 3,
      overall: { done: 2, rejected: 0, unknown: 0 },
    });
    service.becomes(sent);
    expect(await transactional.sendMany(sendsTo(0, 1, 0, 0, 1), { checkpoint })).toMatchObject({
      done: 3,
      skipped: 2,
    });
    expect(service.accepted).toEqual([1, 4, 0, 2, 3]);
  });

  test('where it is an upsert whose outcome is unknown', async () => {
    const service = serviceOf((item) => (item === 0 ? refusal(500, 'internal_error') : upserted()));
    const checkpoint = memoryCheckpoint();
    const { contacts } = service.client();
    const outcomes = await outcomesOf(contacts.upsertEach(rowsOf(0, 0, 1), { checkpoint }));

    expect(outcomes.get(0)).toMatchObject({ status: 'unknown' });
    expect(outcomes.get(1)).toMatchObject(heldBack('contacts.upsert', 0));
    expect(service.accepted).toEqual([2]);
    service.becomes(upserted);
    expect(await contacts.upsertMany(rowsOf(0, 0, 1), { checkpoint })).toMatchObject({ done: 2 });
    expect(service.accepted).toEqual([2, 0, 1]);
  });

  test('where its template is refused, until another send of the template closes it', async () => {
    const template = (name: string, contact: number) => ({ phone: phoneOf(contact), templateId: name });
    const refused = template('pending 0', 0);
    const inputs = [refused, template('other 1', 0), template('pending 2', 1), template('other 3', 0)];
    const ofOneTemplate = inputs.map((input) => ({ ...input, templateId: input.templateId.slice(0, -2) }));
    let number = 0;
    const { transactional } = clientOver(async () => {
      number += 1;
      return number === 1 ? refusal(422, 'send_failed') : sent();
    });
    const outcomes = await outcomesOf(transactional.sendEach(ofOneTemplate, { concurrency: 1 }));
    expect(outcomes.get(1)).toMatchObject(heldBack('transactional.send', 0));
    expect(outcomes.get(2)).toMatchObject({ status: 'done' });
    // Item 0 is closed by now, and item 1 is not.
    expect(outcomes.get(3)).toMatchObject(heldBack('transactional.send', 1));
  });

  test('and goes out if nothing of its contact waits when another send closes it', async () => {
    const inputs = ['pending', 'pending', 'other'].map((templateId, index) => ({
      phone: phoneOf(index === 1 ? 1 : 0),
      templateId,
    }));
    let number = 0;
    const { transactional } = clientOver(async () => {
      number += 1;
      return number === 1 ? refusal(422, 'send_failed') : sent();
    });
    expect(await transactional.sendMany(inputs, { concurrency: 1 })).toMatchObject({ done: 2, rejected: 1 });
  });

  test('where a rejected item is tried again, and fails for a cause outside of it', async () => {
    const checkpoint = memoryCheckpoint();
    const service = serviceOf((item) => (item === 1 ? refusal(404, 'not_found') : sent()));
    const { transactional } = service.client();
    const inputs = sendsTo(1, 0, 0);
    expect(await transactional.sendMany(inputs.slice(0, 2), { checkpoint })).toMatchObject({ done: 1 });
    service.becomes((item) => (item === 1 ? unreachable() : sent()));
    const again = { checkpoint, retryRejected: true };
    expect(await transactional.sendMany(inputs, again)).toMatchObject({ done: 0, rejected: 2, skipped: 1 });
    service.becomes(sent);
    expect(await transactional.sendMany(inputs, { checkpoint })).toMatchObject({ done: 2 });
    expect(service.accepted).toEqual([0, 1, 2]);
  });

  test('and do not count as failures in a row', async () => {
    const service = serviceOf((item) => (item === 0 ? unreachable() : sent()));
    const inputs = sendsTo(0, ...Array<number>(50).fill(0), 1);
    const summary = await service.client().transactional.sendMany(inputs, {
      concurrency: 1,
      maxConsecutiveFailures: 2,
    });
    expect(summary).toMatchObject({ done: 1, rejected: 51, stoppedBecause: undefined });
  });
});

describe('no later item of the contact is held back', () => {
  test.each([
    ['a send whose outcome is unknown', () => refusal(500, 'internal_error'), { unknown: 1, rejected: 0 }],
    ['an item that is rejected', () => refusal(404, 'not_found'), { unknown: 0, rejected: 1 }],
  ])('by %s', async (_, response, counts) => {
    const service = serviceOf((item) => (item === 0 ? response() : sent()));
    const summary = await service.client().transactional.sendMany(sendsTo(0, 0, 0));
    expect(summary).toMatchObject({ done: 2, ...counts });
    expect(service.requests).toEqual([0, 1, 2]);
  });

  test('by one that a guard holds back', async () => {
    const service = serviceOf(sent);
    let asked = 0;
    const check = () => {
      asked += 1;
      return asked === 1 ? 'not now' : undefined;
    };
    const { transactional } = service.client({ guards: [{ check }] });
    expect(await transactional.sendMany(sendsTo(0, 0))).toMatchObject({ done: 1, rejected: 1 });
  });
});

test('an upsert that an earlier run left unknown is closed if it is rejected now, so that the later ones go on', async () => {
  const service = serviceOf((item) => (item === 0 ? refusal(500, 'internal_error') : upserted()));
  const checkpoint = memoryCheckpoint();
  const { contacts } = service.client();
  await contacts.upsertMany(rowsOf(0, 0, 1), { checkpoint });
  service.becomes((item) => (item === 0 ? refusal(400, 'invalid_request') : upserted()));
  expect(await contacts.upsertMany(rowsOf(0, 0, 1), { checkpoint })).toMatchObject({ done: 1, rejected: 1 });
  expect(checkpoint.saved()).toMatchObject({ done: [[1, 2]], rejected: [[0, 0]], unknown: [] });
});

describe('when the run stops', () => {
  test('the items that wait have no outcome, and the next run makes them', async () => {
    const service = heldItems();
    const checkpoint = memoryCheckpoint();
    const { transactional } = service.client();
    const run = transactional.sendEach(sendsTo(0, 0, 0, 1), { checkpoint });
    const outcomes = collect(run);
    await service.holds(0, 3);
    await service.respond(3, refusal(402, 'quota_exceeded'));
    await service.respond(0);
    expect((await outcomes).map(({ index }) => index)).toEqual([3, 0]);
    expect(checkpoint.saved()).toMatchObject({ done: [[0, 0]], rejected: [], unknown: [], keyed: [] });

    service.becomes(sent);
    expect(await transactional.sendMany(sendsTo(0, 0, 0, 1), { checkpoint })).toMatchObject({ done: 3 });
  });

  test('at an item, those that wait behind it have no outcome either', async () => {
    const service = serviceOf(unreachable);
    const options = { maxConsecutiveFailures: 1 };
    const outcomes = await outcomesOf(service.client().transactional.sendEach(sendsTo(0, 0, 0), options));
    expect([...outcomes.keys()]).toEqual([0]);
  });

  test('because the loop was left, the items that wait are not made', async () => {
    const service = heldItems();
    const run = service.client().transactional.sendEach(sendsTo(0, 0, 0));
    const left = (async () => {
      for await (const { index } of run) return index;
      return undefined;
    })();
    await service.holds(0);
    await service.respond(0);
    if (service.waiting().length > 0) await service.respond(1);
    expect(await within('the loop to be left', left)).toBe(0);
    expect(service.requests).not.toContain(2);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['ended', async () => undefined],
    ['could not load its checkpoint', async () => 'garbage'],
  ])('no listener stays at the signal of a run that %s', async (_, load) => {
    const { signal } = new AbortController();
    const { transactional } = serviceOf(sent).client();
    const checkpoint = { ...memoryCheckpoint(), load };
    const run = transactional.sendMany(sendsTo(0, 0, 1), { signal, checkpoint });
    await Promise.allSettled([run]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

/** What a service does to an upsert in the random runs below, and how often. */
const behaviours = [
  [12, upserted],
  [1, () => busy('1')],
  [1, () => refusal(500, 'internal_error')],
  [1, unreachable],
  [1, () => refusal(404, 'not_found')],
  [1, () => refusal(402, 'quota_exceeded')],
] as const;

test.each([1, 2, 8])(
  'over runs that fail and go on, each contact gets its rows in their order and ends with the last, with concurrency %d',
  async (concurrency) => {
    for (const seed of indices(5)) {
      const chance = new Chance(seed, concurrency);
      const contacts = indices(40).map(() => chance.between(0, 5));
      const service = serviceOf(async () => {
        if (chance.in(0.3)) await new Promise(setImmediate);
        return chance.weighted<() => Response | Promise<Response>>(behaviours)();
      });
      const checkpoint = memoryCheckpoint();
      const { contacts: api } = service.client({ clock: eagerClock() });
      const options = { checkpoint, concurrency, maxConsecutiveFailures: 5 };
      const run = () => within(`the end of run ${seed}`, api.upsertMany(rowsOf(...contacts), options));
      for (const _ of indices(4)) await run();
      service.becomes(upserted);
      expect(await run()).toMatchObject({ stoppedBecause: undefined });

      const saved = checkpoint.saved();
      const isIn = (list: BulkCheckpoint['done'] | undefined, item: number) =>
        list?.some(([first, last]) => first <= item && item <= last) === true;
      expect(service.overlapping).toEqual([]);
      for (const contact of new Set(contacts)) {
        const own = indices(contacts.length).filter((item) => contacts[item] === contact);
        const got = service.accepted.filter((item) => contacts[item] === contact);
        expect(got).toEqual(own.filter((item) => !isIn(saved?.rejected, item)));
        expect(own.every((item) => isIn(saved?.done, item) || isIn(saved?.rejected, item))).toBe(true);
      }
    }
  },
);
