import type {
  JourneySeed,
  JourneyStepSeed,
  ReferenceServerOptions,
  ServerLogEntry,
  VariableSource,
} from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { phone as ada, otherPhone as grace, startServer } from '../support/reference.js';

const start = Date.UTC(2026, 0, 1, 9);
const hour = 3_600_000;

const templates = [
  { id: 'welcome', body: 'Welcome!' },
  { id: 'thanks', body: 'Thank you!' },
  { id: 'order', body: 'Hello {{1}}, {{2}} is on its way.' },
  { id: 'sale', body: 'All must go.', status: 'pending' },
] as const;

/** A server with these journeys, at a time of its own, whose log holds no error. */
function workspace(journeys: readonly JourneySeed[], options: ReferenceServerOptions = {}) {
  const log: ServerLogEntry[] = [];
  const server = startServer({
    now: start,
    templates,
    journeys,
    contacts: [ada, grace].map((phone) => ({ phone })),
    log: (entry) => log.push(entry),
    ...options,
  });
  onTestFinished(() => expect(log.filter(({ type }) => type === 'error')).toEqual([]));
  const { client, journal } = server;
  /** Accepts an event, without waiting for what it starts. */
  const track = (phone = ada, properties = {}, event = 'order_placed') =>
    client.events.track({ event, phone, properties });
  return {
    server,
    client,
    log,
    track,
    /** Accepts an event. Resolves when no step of what it starts is due. */
    process: async (...event: Parameters<typeof track>) => {
      await track(...event);
      await server.settled();
    },
    idOf: async (phone: string) => String((await client.contacts.find(phone))?.id),
    /** What was sent: after how long, to whom, and which template. */
    sent: async () =>
      (await journal.sends()).map((send) => [send.sentAt - start, send.phone, send.templateId] as const),
    sentTemplates: async () => (await journal.sends()).map(({ templateId }) => templateId),
    /** The status of each run, and why it failed. */
    runs: async () =>
      (await journal.journeyRuns()).map(({ status, error }) =>
        error === undefined ? status : `${status}: ${error}`,
      ),
  };
}

/** The journey that an order starts. */
const onOrder = (...steps: readonly JourneyStepSeed[]): JourneySeed => ({
  id: 'follow_up',
  event: 'order_placed',
  steps,
});

test('an event starts a run of its journey after its response', async () => {
  const { server, track, idOf, sent } = workspace([onOrder({ send: 'welcome' })]);
  expect(await track()).toEqual({ accepted: true });
  expect(await server.journal.journeyRuns()).toEqual([]);
  await server.settled();
  const [event] = await server.journal.events();
  expect(await server.journal.journeyRuns()).toEqual([
    {
      id: expect.stringMatching(/^journey_run_/),
      journeyId: 'follow_up',
      contactId: await idOf(ada),
      eventId: event?.id,
      eventProperties: {},
      startedAt: start,
      status: 'finished',
      position: 1,
      dueAt: start,
    },
  ]);
  expect(await sent()).toEqual([[0, ada, 'welcome']]);
});

test('a wait after a wait begins when that one has ended, however far the clock is moved', async () => {
  const steps: JourneyStepSeed[] = [{ wait: '2h' }, { send: 'welcome' }, { wait: '3h' }, { send: 'thanks' }];
  const { server, track, sent } = workspace([onOrder(...steps)]);
  await track();
  await server.clock.advance('1h');
  await track(grace);
  await server.clock.advance('30d');
  expect(await sent()).toEqual([
    [2 * hour, ada, 'welcome'],
    [3 * hour, grace, 'welcome'],
    [5 * hour, ada, 'thanks'],
    [6 * hour, grace, 'thanks'],
  ]);
  expect(server.clock.now()).toBe(start + hour + 30 * 24 * hour);
});

describe('a branch', () => {
  const vip = { property: 'tags', includes: 'vip' } as const;

  test('goes by what the contact is like at its moment', async () => {
    const { server, client, track, idOf, sent } = workspace([
      onOrder({ wait: '1h' }, { branch: vip, do: [{ send: 'thanks' }], else: [{ send: 'welcome' }] }),
    ]);
    await client.contacts.upsert({ phone: grace, properties: { tags: ['vip'] } });
    await track(ada);
    await track(grace);
    await client.contacts.update(await idOf(ada), { properties: { tags: ['vip'] } });
    await client.contacts.update(await idOf(grace), { properties: { tags: [] } });
    await server.clock.advance('1h');
    expect(await sent()).toEqual([
      [hour, ada, 'thanks'],
      [hour, grace, 'welcome'],
    ]);
  });

  test('goes by a segment at its moment, to which the event that started the run counts', async () => {
    const { server, track, sent } = workspace(
      [
        onOrder(
          { branch: { segment: 'regulars' }, do: [{ send: 'thanks' }], else: [{ send: 'welcome' }] },
          { wait: '2h' },
          { branch: { segment: 'regulars' }, do: [{ send: 'thanks' }] },
        ),
      ],
      { segments: [{ id: 'regulars', event: 'order_placed', atLeast: 2, within: '2h' }] },
    );
    await track();
    await server.clock.advance('1h');
    await track();
    await server.clock.advance('1d');
    expect(await sent()).toEqual([
      [0, ada, 'welcome'],
      [hour, ada, 'thanks'],
      // At two hours the first event is out of the window: one is left, which is not enough.
    ]);
  });

  test.each([
    [['vip', 'new'], ['thanks']],
    [['vip'], ['welcome', 'thanks']],
    [['new'], ['welcome']],
    [[], []],
  ])('may stand in another: %j gets %j', async (tags, templateIds) => {
    const isNew = { property: 'tags', includes: 'new' } as const;
    const { server, client, process, sentTemplates } = workspace([
      onOrder({
        branch: vip,
        do: [{ branch: isNew, else: [{ send: 'welcome' }] }, { send: 'thanks' }],
        else: [{ branch: isNew, do: [{ send: 'welcome' }] }],
      }),
    ]);
    await client.contacts.upsert({ phone: ada, properties: { tags } });
    await process();
    expect(await sentTemplates()).toEqual(templateIds);
    expect(await server.journal.journeyRuns()).toMatchObject([{ status: 'finished', position: 8 }]);
  });
});

test('a branch by a segment that is removed meanwhile goes the other way', async () => {
  const { server, track, sentTemplates } = workspace(
    [onOrder({ branch: { segment: 'all' }, do: [{ send: 'thanks' }], else: [{ send: 'welcome' }] })],
    { segments: [{ id: 'all', where: [{ property: 'phone', exists: true }] }] },
  );
  await server.segments.remove('all');
  await track();
  await server.settled();
  expect(await sentTemplates()).toEqual(['welcome']);
});

describe('a send', () => {
  const sources = (first: VariableSource, second: VariableSource) =>
    onOrder({ send: 'order', variables: { '1': first, '2': second } });

  test.each<[VariableSource, VariableSource, string]>([
    ['Ada', { event: 'orderId' }, 'Hello Ada, A-1 is on its way.'],
    [{ contact: 'firstName' }, { contact: 'phone' }, `Hello Ada, ${ada} is on its way.`],
    [{ event: 'count' }, { contact: 'tags' }, 'Hello 0, tea, cake is on its way.'],
    [{ event: 'gift' }, { event: 'lines' }, 'Hello false, tea, cake is on its way.'],
  ])('fills its template from %j and %j', async (first, second, text) => {
    const { server, client, process } = workspace([sources(first, second)]);
    await client.contacts.upsert({ phone: ada, properties: { firstName: 'Ada', tags: ['tea', 'cake'] } });
    await process(ada, { orderId: 'A-1', count: 0, gift: false, lines: ['tea', 'cake'] });
    const [run] = await server.journal.journeyRuns();
    expect(await server.journal.sends()).toMatchObject([{ text, journeyRunId: run?.id }]);
  });

  test.each<[VariableSource, VariableSource, readonly string[]]>([
    ['Ada', { event: 'orderId' }, ['placeholder 2', 'the event has no property "orderId"']],
    [{ contact: 'firstName' }, 'tea', ['placeholder 1', 'the contact has no property "firstName"']],
    [
      { contact: 'empty' },
      { event: 'nothing' },
      [
        'for placeholder 1, the contact has no property "empty" that has a text form; ' +
          'for placeholder 2, the event has no property "nothing" that has a text form.',
      ],
    ],
    [{ event: 'nested' }, { event: 'mixed' }, ['property "nested"', 'property "mixed"']],
    [{ event: 'constructor' }, { contact: 'toString' }, ['property "constructor"', 'property "toString"']],
  ])('without a value for %j or %j ends the run, and says which', async (first, second, words) => {
    const { server, client, runs, process } = workspace([sources(first, second)], { quota: 1 });
    await client.contacts.upsert({ phone: ada, properties: { empty: '' } });
    await process(ada, { nothing: null, nested: { id: 1 }, mixed: ['a', 1] });
    const [run] = await runs();
    for (const word of ['failed: ', ...words]) expect(run).toContain(word);
    expect(await server.journal.sends()).toEqual([]);
    expect(await server.journal.quota()).toMatchObject({ quota: 1 });
  });

  test.each([
    [2, 'sale', 'pending, not approved'],
    [1, 'thanks', 'exhausted'],
  ])('with a quota of %i, of the template %s, ends the run: %s', async (quota, template, words) => {
    const { runs, sentTemplates, process } = workspace([onOrder({ send: 'welcome' }, { send: template })], {
      quota,
    });
    await process();
    expect(await runs()).toEqual([expect.stringMatching(new RegExp(`^failed: .*${words}`))]);
    expect(await sentTemplates()).toEqual(['welcome']);
  });

  test('that the provider rejects ends the run, at the step and in the moment', async () => {
    const rejected = '+15005550101';
    const { server, client, track, sent } = workspace([
      onOrder({ wait: '1h' }, { send: 'welcome' }, { send: 'thanks' }),
    ]);
    await client.contacts.upsert({ phone: rejected });
    await track(rejected);
    await track(ada);
    await server.clock.advance('3h');
    const error = expect.stringContaining('not registered with the chat provider');
    expect(await server.journal.journeyRuns()).toMatchObject([
      { status: 'failed', position: 1, dueAt: start + hour, error },
      { status: 'finished' },
    ]);
    expect((await sent()).map(([, phone]) => phone)).toEqual([ada, ada]);
  });
});

test('the log tells of the beginning of a run, of its waits, and of its end, and of no phone', async () => {
  const { server, track, idOf, log } = workspace([
    onOrder({ send: 'welcome' }, { wait: '1h' }, { send: 'sale' }),
  ]);
  await track();
  await server.clock.advance('1h');
  const [run] = await server.journal.journeyRuns();
  const common = {
    type: 'journey',
    journeyRunId: run?.id,
    journeyId: 'follow_up',
    contactId: await idOf(ada),
  };
  const [nine, ten] = ['2026-01-01T09:00:00.000Z', '2026-01-01T10:00:00.000Z'];
  expect(log.filter(({ type }) => type === 'journey')).toEqual([
    { ...common, time: nine, outcome: 'began' },
    { ...common, time: nine, outcome: 'waiting', until: ten },
    { ...common, time: ten, outcome: 'failed', error: run?.error },
  ]);
  expect(JSON.stringify(log)).not.toContain(ada.slice(1));
});

const steps: JourneyStepSeed[] = [{ wait: '1h' }, { send: 'thanks' }];

test('a contact that is deleted during a wait leaves its journeys, and every segment', async () => {
  const { server, client, track, idOf, sent, process } = workspace([onOrder(...steps)], {
    segments: [
      { id: 'buyers', event: 'order_placed', within: '1d' },
      { id: 'all', where: [{ property: 'phone', exists: true }] },
    ],
    contacts: [{ phone: ada }, { phone: grace }],
  });
  const other = await idOf(grace);
  await track(ada);
  await process(grace);
  await client.contacts.delete(await idOf(ada));
  const noted = (await server.journal.find('journey')).length;
  expect(await server.journal.segmentMembers('buyers')).toEqual([other]);
  expect(await server.journal.segmentMembers('all')).toEqual([other]);
  expect(await server.journal.journeyRuns()).toMatchObject([{ contactId: other }]);
  await server.clock.advance('1h');
  expect((await sent()).map(([, phone]) => phone)).toEqual([grace]);
  // The other's wait, and its send.
  expect(await server.journal.find('journey')).toHaveLength(noted + 1);
});

test('a journey sends to whoever has opted out, says so, and fails if the deployment refuses that', async () => {
  const { server, process, runs } = workspace([onOrder({ send: 'welcome' })]);
  await server.simulate.inboundMessage({ phone: ada, body: 'STOP' });
  await process(ada);
  await process(grace);
  const sent = await server.journal.sends();
  expect(sent.map(({ phone, toOptedOut }) => [phone, toOptedOut])).toEqual([
    [ada, true],
    [grace, undefined],
  ]);
  await server.specGaps.set({ sendToOptedOut: 'refuse' });
  await process(ada);
  expect(await runs()).toEqual(['finished', 'finished', 'failed: The contact has opted out of messages.']);
});
