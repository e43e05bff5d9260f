import { expect, test } from 'vitest';
import { allOf } from '../../../src/server/model/page.js';
import type { JourneyStepRecord } from '../../../src/server/model/records.js';
import { StoreBusyError, StoreUnavailableError } from '../../../src/server/model/service-error.js';
import { JourneyRules } from '../../../src/server/service/journeys.js';
import { SegmentRules } from '../../../src/server/service/segments.js';
import { TransactionalRules } from '../../../src/server/service/transactional.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-store.js';
import { type Alteration, alteredWorkspace } from '../store-conformance/altered-store.js';
import { claimOf, workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { phone } from '../support/reference.js';

const send = { kind: 'send', templateId: 'hello', variables: {} } as const;
const steps: readonly JourneyStepRecord[] = [send, { kind: 'wait', duration: 10 }, send];

/**
 * A run that begins its first step. The provider decides on its sends when the test says so, and the store does what the
 * test says.
 */
async function runBegun(alteration: Alteration = () => ({})) {
  const kept = new MemoryWorkspace(
    workspaceRecord({
      quota: 9,
      templates: [
        { id: 'hello', name: 'H', language: 'en', status: 'approved', body: 'Hello', variables: [] },
      ],
      journeys: [{ id: 'greet', event: 'seen', steps }],
    }),
  );
  const store = alteredWorkspace(kept, alteration);
  const context = contextOf(store);
  const asked: ((rejection: string | undefined) => void)[] = [];
  const transactional = new TransactionalRules(
    context,
    () => new Promise<string | undefined>((resolve) => asked.push(resolve)),
  );
  const journeys = new JourneyRules(context, new SegmentRules(context), transactional);
  const { contact } = await store.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  await store.recordEvent({ id: 'e', contactId: contact.id, event: 'seen', properties: {}, acceptedAt: 0 });
  const claimed = claimOf(await store.events.claimNext());
  const runs = await journeys.startedBy(claimed.event);
  await store.completeEvent(claimed.claim, runs);
  journeys.begin(runs);
  return { store, context, journeys, asked, noted: () => context.entries.map(({ type }) => type) };
}

/** A run that is in the midst of its first step. */
async function runUnderWay() {
  const begun = await runBegun();
  await expect.poll(() => begun.asked.length).toBe(1);
  return begun;
}

test.each([undefined, 'late'])(
  'a contact that is deleted while a step is taken leaves the journey at once: %j',
  async (rejection) => {
    const { store, context, asked, noted } = await runUnderWay();
    await store.deleteContact('contact');
    asked[0]?.(rejection);
    await context.clock.advance(100);
    expect(await allOf((range) => store.journeys.pageOfRuns(range))).toEqual([]);
    expect(asked).toHaveLength(1);
    // The beginning, and what went out before anybody could stop it.
    expect(noted()).toEqual(rejection === undefined ? ['journey', 'send'] : ['journey']);
    expect(context.failures).toEqual([]);
  },
);

test('a run that is told to go on while it takes a step takes none twice', async () => {
  const { store, context, journeys, asked, noted } = await runUnderWay();
  await journeys.resume();
  await journeys.resume();
  asked[0]?.(undefined);
  await context.work.settled();
  expect(await allOf((range) => store.journeys.pageOfRuns(range))).toMatchObject([
    { status: 'waiting', position: 2, dueAt: context.clock.now() + 10 },
  ]);
  await journeys.resume();
  const moved = context.clock.advance(10);
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.(undefined);
  await moved;
  expect(asked).toHaveLength(2);
  expect(noted()).toEqual(['journey', 'send', 'journey', 'journey', 'send', 'journey']);
});

test('a run that a rejected send ends has ended when it was rejected, not when the step was due', async () => {
  const { store, context, journeys, asked } = await runBegun(({ contacts }) => {
    let isGone = true;
    return {
      contacts: {
        findById(id) {
          if (!isGone) return contacts.findById(id);
          isGone = false;
          return Promise.reject(new StoreUnavailableError());
        },
      },
    };
  });
  await context.work.settled();
  await context.clock.advance(25);
  await journeys.resume();
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.('blocked');
  await context.work.settled();
  expect(await allOf((range) => store.journeys.pageOfRuns(range))).toMatchObject([
    { status: 'failed', dueAt: context.clock.now() },
  ]);
});

test('a run whose journey is not there any more has no step left', async () => {
  const { store, context, journeys, asked } = await runUnderWay();
  asked[0]?.(undefined);
  await context.work.settled();
  const state = await store.readState();
  await store.replaceState({ ...state, workspace: { ...state.workspace, journeys: [] } });
  await journeys.resume();
  await context.clock.advance(10);
  expect(await allOf((range) => store.journeys.pageOfRuns(range))).toMatchObject([{ status: 'finished' }]);
});

test('a contact that is deleted as a step begins is sent nothing', async () => {
  const { store, context, asked } = await runBegun((kept) => ({
    contacts: {
      async findById(id) {
        await kept.deleteContact(id);
        return kept.contacts.findById(id);
      },
    },
  }));
  await context.work.settled();
  expect(await allOf((range) => store.journeys.pageOfRuns(range))).toEqual([]);
  expect(asked).toEqual([]);
  expect(context.failures).toEqual([]);
});

test.each([
  ['reads the contact', new Error('gone'), undefined],
  ['begins the send', undefined, new StoreUnavailableError()],
  ['begins the send while the store is busy', undefined, new StoreBusyError()],
])(
  'a run whose step failed with the store as it %s goes on once it is told to',
  async (_, reading, sending) => {
    let isGone = true;
    const { store, context, journeys, asked } = await runBegun(({ contacts, sends }) => ({
      contacts: {
        findById: (id) => (isGone && reading ? Promise.reject(reading) : contacts.findById(id)),
      },
      sends: {
        begin: (...send) => (isGone && sending ? Promise.reject(sending) : sends.begin(...send)),
      },
    }));
    await context.work.settled();
    expect(context.failures).toEqual([reading ?? sending]);
    isGone = false;
    await journeys.resume();
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.(undefined);
    await context.work.settled();
    expect(await allOf((range) => store.journeys.pageOfRuns(range))).toMatchObject([
      { status: 'waiting', position: 2 },
    ]);
  },
);
