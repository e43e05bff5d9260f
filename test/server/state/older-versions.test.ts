import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { createReferenceServer, parseServerState, type ReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { validate } from '../../../src/contract/schema.js';
import { snapshotSchema } from '../../../src/server/subjects/workspace.js';
import { snapshotOfAnyVersion } from '../../../src/server/workspace/older-formats.js';
import { repositoryFile } from '../../repository.js';
import { startServer } from '../support/reference.js';
import { expectRecords, propertiesOf } from './fixtures/everything-kept.js';
import {
  apiKey,
  eventProperties,
  faults,
  firstResponse,
  names,
  otherPhone,
  otherProperties,
  phone,
  words,
} from './fixtures/hostile-world.js';

/** What an earlier version of the package wrote. */
const written = (file: string) =>
  JSON.parse(readFileSync(repositoryFile(`test/server/state/fixtures/${file}`), 'utf8'));

function resume(state: unknown): ReferenceServer {
  const server = createReferenceServer({ state: parseServerState(state), apiKey });
  onTestFinished(() => server.close());
  return server;
}

describe.each(['0.1.0', '0.2.0'])(
  'what version %s wrote keeps every name and text of its user:',
  (version) => {
    test('a state, and the initial state in it', async () => {
      const server = resume(written(`state-${version}.json`));
      expect(server.specGaps.read()).toMatchObject({ updateResponse: 'empty', nestedProperty: 'accept' });
      expect(await server.faults.list()).toMatchObject([
        { rule: faults[0], matched: 1 },
        { rule: faults[1], matched: 0 },
        { rule: faults[2], matched: 2 },
      ]);
      await expectRecords(server);

      await server.reset();
      expect((await server.faults.list()).map(({ rule }) => rule)).toEqual(faults);
      expect(server.specGaps.read()).toMatchObject({ updateResponse: 'empty' });
      await server.faults.clear();
      expect(await propertiesOf(server, otherPhone)).toEqual({ ...otherProperties, phone: otherPhone });
      expect(await server.client.contacts.find(phone)).toBeNull();
    });

    test('a snapshot', async () => {
      const server = startServer();
      await server.restore(written(`snapshot-${version}.json`));
      await expectRecords(server);
    });
  },
);

test('what version 0.2.0 wrote of a failed test keeps every name and text of its user', async () => {
  const state = parseServerState(written('test-0.2.0.failed.json'));
  expect(state.failedTest).toBe('a "beginning"');
  const server = resume(state);
  const [fault] = await server.journal.find('fault');
  expect(fault?.fault).toEqual(faults[0]?.fault);
  const [{ event } = { event: undefined }] = await server.journal.find('event');
  expect(event?.properties).toEqual(eventProperties);
  await expectRecords(server);
});

/** Names that the formats of this package have or had, and names that a careless copy of an object trips over. */
const name = fc.oneof(
  fc.constantFrom(...names, '__proto__', 'valueOf', '0', 'a.b', 'attempts', 'state', 'properties'),
  fc.string(),
);

/** Any JSON value with such names, in which `__proto__` is an own property. */
const { value: jsonValue, object: jsonObject } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('answer', words, null, 0, true),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 4 })
    .map((fields) => Object.fromEntries(fields)),
}));

/** What users can put into a workspace: their objects, and their words. */
const given = fc.record({
  ofContact: jsonObject,
  ofEvent: jsonObject,
  ofFault: jsonObject,
  inEntry: jsonValue,
  word: fc.oneof(name, fc.constantFrom(words, firstResponse)),
  otherWord: name,
});
type Given = typeof given extends fc.Arbitrary<infer Value> ? Value : never;

/** The names of fields in a version of the formats. */
const namesOf = {
  1: { responseBody: 'answer', updateResponse: 'updateAnswer', initialState: 'beginning' },
  2: { responseBody: 'responseBody', updateResponse: 'updateResponse', initialState: 'initialState' },
} as const;

/** The records of a workspace that has everything, in that version. */
function recordsWith(
  { ofContact, ofEvent, word, otherWord }: Given,
  { responseBody }: (typeof namesOf)[1 | 2],
): object {
  const on = { property: word, equals: otherWord };
  const attempt = { number: 1, startedAt: 0, signature: 'ab', [responseBody]: word, error: otherWord };
  const delivery = { id: 'd', subscriptionId: 's', event: 'message.received', url: 'http://localhost/' };
  return {
    workspace: {
      id: 'w',
      quota: 1,
      addOnCredits: 0,
      templates: [
        { id: 't', name: word, language: otherWord, status: 'approved', body: word, variables: ['1'] },
      ],
      segments: [{ id: 'g', where: [on, { property: otherWord, exists: true }] }],
      journeys: [
        {
          id: 'j',
          event: word,
          steps: [
            { kind: 'branch', on, otherwise: 1 },
            { kind: 'wait', duration: 1 },
          ],
        },
      ],
    },
    contacts: [{ id: 'c', phone, properties: ofContact, consent: 'unknown' }],
    events: [{ id: 'e', contactId: 'c', event: word, properties: ofEvent, acceptedAt: 0 }],
    waitingEventIds: ['e'],
    journeyRuns: [
      {
        id: 'r',
        journeyId: 'j',
        contactId: 'c',
        eventId: 'e',
        eventProperties: ofEvent,
        startedAt: 0,
        status: 'waiting',
        position: 0,
        dueAt: 0,
      },
    ],
    sends: [
      {
        id: 'm',
        status: 'sent',
        contactId: 'c',
        phone,
        templateId: 't',
        variables: { '1': word },
        text: word,
        paidBy: 'plan',
        sentAt: 0,
      },
    ],
    subscriptions: [],
    deliveries: [
      { ...delivery, body: JSON.stringify(ofEvent), status: 'failed', attempts: [attempt], createdAt: 0 },
      { ...delivery, id: 'p', body: word, status: 'pending', attempts: [], dueAt: 0, createdAt: 0 },
    ],
  };
}

/** A state of that version. Only the file of a failed test has a journal, and the first version wrote none. */
function stateWith(world: Given, version: 1 | 2, journal?: object): object {
  const { updateResponse, initialState } = namesOf[version];
  const records = recordsWith(world, namesOf[version]);
  const specGaps = { [updateResponse]: 'empty' };
  const fault = { kind: 'status', status: 500, body: world.ofFault, headers: { answer: 'a' } };
  const rule = { operation: 'any', nth: 9, fault };
  const random = [0, 0, 0, 1];
  const rules = [{ id: 'fault_1', rule, matched: 1, injected: 0, random }];
  const digest = '0'.repeat(64);
  return {
    version,
    apiKeyDigest: digest,
    defaults: { specGaps },
    workspaces: [
      {
        apiKeyDigests: [digest],
        clock: { flow: 'frozen', now: 0 },
        specGaps,
        faults: { randomSeed: 1, streams: 2, added: 1, randomOfHeaders: random, rules },
        ...records,
        ...(journal && { journal }),
        [initialState]: { settings: { specGaps, faults: [rule] }, state: records },
      },
    ],
  };
}

/** A value as lists of names and values, so that a comparison sees `__proto__`, and not the order of names. */
function listed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(listed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([field, inner]) => [field, listed(inner)]);
}

describe('only what is renamed changes, whatever names and texts users have given', () => {
  test('in a state', () => {
    fc.assert(
      fc.property(given, fc.constantFrom<1 | 2>(1, 2), (world, version) => {
        const entries = [{ type: 'fault', fault: { body: world.inEntry } }];
        const journal = version === 1 ? undefined : { forgotten: 0, entries };
        const before = stateWith(world, version, journal);
        const text = JSON.stringify(before);
        expect(listed(parseServerState(before))).toEqual(listed(stateWith(world, 2, journal)));
        expect(JSON.stringify(before)).toBe(text);
      }),
    );
  });

  test('in a snapshot', () => {
    fc.assert(
      fc.property(given, fc.constantFrom<1 | 2>(1, 2), (world, version) => {
        const of = (names: (typeof namesOf)[1 | 2]) => ({
          version: 1,
          takenAt: '2026-01-01T09:00:00.000Z',
          ...recordsWith(world, names),
        });
        const snapshot = validate(snapshotSchema, snapshotOfAnyVersion(of(namesOf[version])));
        expect(listed(snapshot)).toEqual(listed({ valid: true, value: of(namesOf[2]) }));
      }),
    );
  });
});
