import { expect, test } from 'vitest';
import { JourneySteps } from '../../../src/server/service/journey-steps.js';
import { Journeys } from '../../../src/server/service/journeys.js';
import type { ProviderVerdict } from '../../../src/server/service/provider.js';
import { Segments } from '../../../src/server/service/segments.js';
import { Transactional } from '../../../src/server/service/transactional.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { claimOf, workspaceRecord } from '../store-conformance/opening.js';
import { contextOf } from '../support/context.js';
import { phone } from '../support/reference.js';

/** A run that is in the midst of its first step: the provider decides on its first send when the test says so. */
async function runUnderWay() {
  const send = { kind: 'send', templateId: 'hello', variables: {} } as const;
  const store = new MemoryWorkspace(
    workspaceRecord({
      quota: 9,
      templates: [
        { id: 'hello', name: 'H', language: 'en', status: 'approved', body: 'Hello', variables: [] },
      ],
      journeys: [{ id: 'greet', event: 'seen', steps: [send, { kind: 'wait', duration: 10 }, send] }],
    }),
  );
  const context = contextOf(store);
  const asked: ((verdict: ProviderVerdict) => void)[] = [];
  const transactional = new Transactional(context, {
    send: () => new Promise((resolve) => asked.push(resolve)),
  });
  const steps = new JourneySteps(context, new Segments(context), transactional);
  const journeys = new Journeys(context, steps);
  const { contact } = await store.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  await store.recordEvent({ id: 'e', contactId: contact.id, event: 'seen', properties: {}, acceptedAt: 0 });
  const claimed = claimOf(await store.events.claimNext());
  const runs = await journeys.startedBy(claimed.event);
  await store.completeEvent(claimed.claim, runs);
  journeys.begin(runs);
  await expect.poll(() => asked.length).toBe(1);
  return { store, context, journeys, asked, noted: () => context.entries.map(({ type }) => type) };
}

test.each<ProviderVerdict>([{ accepted: true }, { accepted: false, reason: 'late' }])(
  'a contact that is deleted while a step is taken leaves the journey at once: %j',
  async (verdict) => {
    const { store, context, asked, noted } = await runUnderWay();
    await store.deleteContact('contact');
    asked[0]?.(verdict);
    await context.clock.advance(100);
    expect(await store.journeys.listRuns()).toEqual([]);
    expect(asked).toHaveLength(1);
    // The beginning, and what went out before anybody could stop it.
    expect(noted()).toEqual(verdict.accepted ? ['journey', 'send'] : ['journey']);
    expect(context.failures).toEqual([]);
  },
);

test('a run that is told to go on while it takes a step takes none twice', async () => {
  const { store, context, journeys, asked, noted } = await runUnderWay();
  await journeys.resume();
  await journeys.resume();
  asked[0]?.({ accepted: true });
  await context.work.settled();
  expect(await store.journeys.listRuns()).toMatchObject([
    { status: 'waiting', position: 2, dueAt: context.clock.now() + 10 },
  ]);
  await journeys.resume();
  const moved = context.clock.advance(10);
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.({ accepted: true });
  await moved;
  expect(asked).toHaveLength(2);
  expect(noted()).toEqual(['journey', 'send', 'journey', 'journey', 'send', 'journey']);
});

test('a run whose journey is not there any more has no step left', async () => {
  const { store, context, journeys, asked } = await runUnderWay();
  asked[0]?.({ accepted: true });
  await context.work.settled();
  const state = await store.readState();
  await store.replaceState({ ...state, workspace: { ...state.workspace, journeys: [] } });
  await journeys.resume();
  await context.clock.advance(10);
  expect(await store.journeys.listRuns()).toMatchObject([{ status: 'finished' }]);
});
