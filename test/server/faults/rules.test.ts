import {
  ConfigurationError,
  createReferenceServer,
  type FaultRule,
  type FaultSelection,
  type OperationName,
  parseWorkspaceSeed,
  type ReferenceWorkspace,
  type WorkspaceSeed,
} from 'messaging-automation/server';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { operations } from '../../../src/contract/operations.js';
import { faultsOf, WorkspaceFaults } from '../../../src/server/faults/workspace-faults.js';
import { phone, startServer } from '../support/reference.js';

type NamesIn<Table> = {
  [Resource in keyof Table]: `${Resource & string}.${keyof Table[Resource] & string}`;
}[keyof Table];

const outage = { kind: 'status', status: 503 } as const;

/** The numbers of those requests, of so many, that a fault appliedTo. */
async function appliedTo(
  { client, journal }: ReferenceWorkspace,
  requests: number,
): Promise<readonly number[]> {
  for (let number = 1; number <= requests; number += 1) await client.templates.list().catch(() => {});
  const entries = await journal.find('request');
  return entries.flatMap(({ faults }, index) => (faults === undefined ? [] : [index + 1]));
}

describe('a rule', () => {
  const selections: readonly (readonly [FaultSelection, readonly number[]])[] = [
    [{}, [1, 2, 3, 4, 5, 6]],
    [{ nth: 2 }, [2]],
    [{ every: 3 }, [3, 6]],
    [{ times: 2 }, [1, 2]],
    [{ every: 2, times: 2 }, [2, 4]],
    [{ probability: 0 }, []],
    [{ probability: 1, times: 1 }, [1]],
  ];

  test.each(selections)('strikes as it says: %o', async (selection, expected) => {
    const server = startServer({ faults: [{ operation: 'templates.list', ...selection, fault: outage }] });
    expect(await appliedTo(server, 6)).toEqual(expected);
    expect(await server.faults.list()).toMatchObject([{ matched: 6, injected: expected.length }]);
  });

  test('is taken back, once and alone', async () => {
    const server = startServer();
    const rule: FaultRule = { operation: 'any', fault: outage };
    const takeBack = await server.faults.add(rule);
    await server.faults.add(rule);
    await takeBack();
    await takeBack();
    expect(await server.faults.list()).toEqual([{ id: 'fault_2', rule, matched: 0, injected: 0 }]);
    await server.faults.clear();
    expect(await server.faults.list()).toEqual([]);
    await server.client.templates.list();
  });

  test('belongs to its workspace', async () => {
    const server = startServer({ faults: [{ operation: 'any', fault: outage }] });
    await server.workspace().client.templates.list();
    await expect(server.client.templates.list()).rejects.toMatchObject({ status: 503 });
  });

  test('is not changed by who gave it', async () => {
    const server = startServer();
    const rule = { operation: 'any' as const, nth: 1, fault: { kind: 'status' as const, status: 503 } };
    await server.faults.add(rule);
    rule.nth = 7;
    rule.fault.status = 504;
    await expect(server.client.templates.list()).rejects.toMatchObject({ status: 503 });
  });
});

test('of several rules every latency counts, and the first of the others', async () => {
  const server = startServer({ now: 0 });
  await server.faults.add({ operation: 'any', fault: { kind: 'latency', duration: '1s' } });
  await server.faults.add({ operation: 'any', fault: { ...outage, status: 502 } });
  await server.faults.add({ operation: 'any', fault: { ...outage, status: 504 } });
  await server.faults.add({ operation: 'any', fault: { kind: 'latency', duration: '2s' } });
  const outcome = expect(server.client.templates.list()).rejects.toMatchObject({ status: 502 });
  await server.journal.waitFor('fault', undefined, { nth: 3 });
  await server.clock.runToIdle();
  await outcome;
  expect(server.clock.now()).toBe(3_000);
  expect((await server.faults.list()).map(({ injected }) => injected)).toEqual([1, 1, 0, 1]);
});

describe('chance', () => {
  const faults: readonly FaultRule[] = [{ operation: 'any', probability: 0.3, fault: outage }];
  const drawnWith = (seed: WorkspaceSeed) => appliedTo(startServer({ faults, ...seed }), 50);

  test('is the same at each run, and another with another seed', async () => {
    const unseeded = await drawnWith({});
    expect(unseeded.length).toBeGreaterThan(5);
    expect(unseeded.length).toBeLessThan(25);
    expect(await drawnWith({})).toEqual(unseeded);
    expect(await drawnWith({ randomSeed: 1 })).toEqual(unseeded);
    const seeded = await drawnWith({ randomSeed: 2 });
    expect(seeded).not.toEqual(unseeded);
    expect(await drawnWith({ randomSeed: 2 })).toEqual(seeded);
  });

  test('of one rule does not depend on what the others draw', async () => {
    const before = await drawnWith({});
    const other: FaultRule = { operation: 'contacts.find', probability: 0.5, fault: outage };
    const server = startServer({ faults: [...faults, other] });
    for (let number = 0; number < 5; number += 1) {
      await server.client.contacts.find(phone).catch(() => {});
      await server.client.templates.list().catch(() => {});
    }
    const entries = await server.journal.find('request');
    const drawn = entries.flatMap(({ operation, faults }, index) =>
      operation === 'templates.list' && faults !== undefined ? [index + 1] : [],
    );
    expect(drawn).toEqual(before.filter((number) => number <= 10 && number % 2 === 0));
  });
});

describe('an invalid rule is refused by its field', () => {
  const withHeaders = (headers: object) => ({ operation: 'any', fault: { ...outage, headers } });
  const wrong: readonly (readonly [rule: unknown, words: string])[] = [
    [undefined, 'the value must have exactly one of operation and delivery'],
    [
      { operation: 'any', delivery: 'any', fault: outage },
      'the value must have exactly one of operation and',
    ],
    [{ operation: 'contacts.upset', fault: outage }, 'operation must be one of contacts.upsert, '],
    [{ operation: '__proto__', fault: outage }, 'operation must be one of contacts.upsert, '],
    [
      { delivery: 'message.sent', fault: { kind: 'duplicate' } },
      'delivery must be one of message.received, ',
    ],
    [{ operation: 'any', fault: { kind: 'duplicate' } }, 'fault.kind must be status, rate_limit, latency, '],
    [{ delivery: 'any', fault: { kind: 'rate_limit' } }, 'fault.kind must be status, latency, stall, '],
    [{ operation: 'any' }, 'fault is required and must be an object'],
    [{ operation: 'any', nth: 0, fault: outage }, 'nth must be one or more'],
    [{ operation: 'any', every: 1.5, fault: outage }, 'every must be a whole number'],
    [{ operation: 'any', probability: 2, fault: outage }, 'probability must be a number from 0 to 1'],
    [{ operation: 'any', chance: 1, fault: outage }, 'chance is not a known field'],
    [{ operation: 'any', fault: { ...outage, status: 200 } }, 'fault.status must be a whole number from 300'],
    [{ operation: 'any', fault: { kind: 'latency', duration: 'long' } }, 'fault.duration must be a duration'],
    [
      { operation: 'any', fault: { kind: 'reset', when: 'after_receipt' } },
      'fault.when must be "before_commit"',
    ],
    [withHeaders({ 'Content-Length': '1' }), 'fault.headers must not have connection, content-length, '],
    [withHeaders({ 'a b': '' }), 'fault.headers must have valid header names'],
    [withHeaders({ a: 'b\r\nc: d' }), 'fault.headers.a must be a valid header value'],
  ];

  test.each(wrong)('%o', async (rule, words) => {
    const { faults } = createReferenceServer();
    // As a program in JavaScript might.
    const adding: unknown = Reflect.apply(faults.add, faults, [rule]);
    await expect(adding).rejects.toThrow(ConfigurationError);
    await expect(adding).rejects.toThrow(`The fault rule is invalid:\n  ${words}`);
    expect(await faults.list()).toEqual([]);
    const inSeed = words.startsWith('the value')
      ? words.replace('the value', 'faults[0]')
      : `faults[0].${words}`;
    expect(() => parseWorkspaceSeed({ faults: [rule] })).toThrow(`seed is invalid:\n  ${inSeed}`);
  });

  test('and how many there may be', async () => {
    const rules = Array.from({ length: 1_001 }, (): FaultRule => ({ operation: 'any', fault: outage }));
    expect(() => createReferenceServer({ faults: rules })).toThrow('faults must have at most 1,000 rules');
    const { faults } = createReferenceServer({ faults: rules.slice(1) });
    await expect(faults.add({ operation: 'any', fault: outage })).rejects.toThrow(RangeError);
  });

  test('and what a seed of chance must be', () => {
    for (const randomSeed of [0.5, 2 ** 31]) {
      expect(() => parseWorkspaceSeed({ randomSeed })).toThrow(
        'randomSeed must be a whole number of 32 bits',
      );
    }
  });
});

test('a rule counts a request once, though another replica forestalls its decision', async () => {
  let now = faultsOf(1, [{ operation: 'any', times: 1, fault: outage }]);
  const faults = new WorkspaceFaults({
    get now() {
      return now;
    },
    read: () => undefined,
    async change(decide) {
      decide(now);
      const [next, result] = decide(now);
      now = next;
      return result;
    },
  });
  const { list } = operations.templates;
  expect(await faults.forRequest(list, undefined)).toMatchObject([{ fault: outage }]);
  expect(await faults.forRequest(list, undefined)).toEqual([]);
  expect(faults.list()).toMatchObject([{ matched: 2, injected: 1 }]);
});

describe('the types', () => {
  test('name every operation, and no other', () => {
    expectTypeOf<OperationName>().toEqualTypeOf<NamesIn<typeof operations>>();
  });

  test('keep the faults of requests and of deliveries apart', async () => {
    const { faults } = createReferenceServer();
    const refused = (added: Promise<unknown>) => expect(added).rejects.toThrow(ConfigurationError);
    // @ts-expect-error No request is a duplicate.
    await refused(faults.add({ operation: 'any', fault: { kind: 'duplicate' } }));
    // @ts-expect-error The service does not limit its own deliveries.
    await refused(faults.add({ delivery: 'any', fault: { kind: 'rate_limit' } }));
    // @ts-expect-error A delivery is received, not committed.
    await refused(faults.add({ delivery: 'any', fault: { kind: 'reset', when: 'after_commit' } }));
    // @ts-expect-error One rule is about one of both.
    await refused(faults.add({ operation: 'any', delivery: 'any', fault: outage }));
    // @ts-expect-error There is no such operation.
    await refused(faults.add({ operation: 'contacts.upset', fault: outage }));
  });
});
