import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { FaultState, JourneySeed, SegmentSeed, SpecGaps } from '../../server/index.js';
import type { ChangeKind } from '../../server/model/change.js';
import type { QuotaRecord, TemplateRecord } from '../../server/model/records.js';
import type { ClockState } from '../../server/subjects/clock.js';
import type { FailedTest } from '../../server/subjects/operation.js';
import type { BuiltInReceiverState } from '../../server/subjects/receiver.js';
import type { WorkspaceSubscription } from '../../server/subjects/subscriptions.js';
import { asItIs, failingIn } from '../reading/deliveries.js';
import type { Person } from '../reading/people.js';
import type { DeliverySnapshot, JourneyRunRecord } from '../surface/entry.js';
import { control } from '../surface/operations.js';
import type { Surface } from '../surface/surface.js';
import { type ConnectionState, followAlone, type StreamReader } from './connection.js';
import { FollowedJournal } from './journal.js';
import { createResource, type Resource } from './resource.js';
import { createTicker, gathered } from './time.js';

/** The workspace as the page knows it: it follows the server, and asks for what something shows. */
export interface FollowedWorkspace {
  readonly surface: Surface;
  readonly journal: FollowedJournal;
  /** The number of the entry after which a person records. Undefined while nobody does. */
  readonly recording: Signal<number | undefined>;
  /** The id of the workspace. Undefined until it is known. */
  readonly id: ReadonlySignal<string | undefined>;
  readonly connection: ReadonlySignal<ConnectionState>;
  /** Whether the server has restarted with an empty journal, until a person closes the note. */
  readonly hasRestarted: Signal<boolean>;
  /** The failed test that left this workspace. Undefined if none did. */
  readonly failedTest: Signal<FailedTest | undefined>;
  /** With the time of the machine at which the page asked. */
  readonly clock: Resource<ClockState & { readonly askedAt: number }>;
  /** Waits until the clock has moved, and shows its time at once. */
  readonly moveClock: (moved: Promise<unknown>) => Promise<void>;
  /** The workspace's time now, in epoch milliseconds. Undefined until it is known. */
  readonly now: ReadonlySignal<number | undefined>;
  /** The built-in receiver. */
  readonly receiver: Resource<BuiltInReceiverState>;
  readonly quota: Resource<QuotaRecord>;
  readonly templates: Resource<readonly TemplateRecord[]>;
  /** Each with the ids of its members. */
  readonly segments: Resource<
    readonly { readonly segment: SegmentSeed; readonly members: readonly string[] }[]
  >;
  readonly journeys: Resource<readonly JourneySeed[]>;
  /** The events that journeys and segments listen to. Undefined until they are known. */
  readonly heard: ReadonlySignal<ReadonlySet<string> | undefined>;
  readonly faults: Resource<readonly FaultState[]>;
  readonly specGaps: Resource<SpecGaps>;
  readonly subscriptions: Resource<readonly WorkspaceSubscription[]>;
  readonly pending: Resource<readonly DeliverySnapshot[]>;
  /** A delivery as it is now, of which the journal or a list has how it was. */
  readonly asItIs: (delivery: DeliverySnapshot) => DeliverySnapshot;
  /** The failed deliveries that nothing sent again, whenever they failed. */
  readonly failing: ReadonlySignal<readonly DeliverySnapshot[]>;
  /**
   * Asks for something else that the server knows, for as long as it is shown.
   *
   * @param kinds - The changes after which it asks again. Default: all.
   */
  readonly shows: <Value>(load: () => Promise<Value>, ...kinds: readonly ChangeKind[]) => Resource<Value>;
  /** Requests the earlier records once, and again after the journal restarts. */
  readonly before: <Value>(load: () => Promise<Value>) => Resource<Value>;
  /** The contacts that the page knows, by id: those that did something last come first. */
  readonly people: ReadonlySignal<ReadonlyMap<string, Person>>;
  /** Whether the workspace has more contacts than the page asks for. */
  readonly hasMorePeople: ReadonlySignal<boolean>;
  /** All journey runs, newest first. A server with a state file has runs from before its journal. */
  readonly runs: ReadonlySignal<readonly JourneyRunRecord[]>;
  /** Forgets what happened before a reset, or before a snapshot took the place of the workspace. */
  readonly beginAnew: () => void;
  readonly stop: () => void;
}

/** Reads the journal for a reader until the signal aborts. */
type Follow = (surface: Surface, reader: StreamReader, signal: AbortSignal) => Promise<void>;

/** Starts to follow a workspace. `stop` ends it. */
export function followWorkspace(surface: Surface, follow: Follow = followAlone): FollowedWorkspace {
  const ending = new AbortController();
  const journal = new FollowedJournal();
  const connection = signal<ConnectionState>({ kind: 'connecting' });
  const id = signal<string>();
  const hasRestarted = signal(false);
  const failedTest = signal<FailedTest>();
  const beginnings = signal(0);
  const changes = signal(0);
  /** How often each kind changed, and how often it may have been any. */
  const counts = new Map<ChangeKind | 'any', number>();
  const countOf = (kind: ChangeKind | 'any') => counts.get(kind) ?? 0;
  let state = connection.peek();
  let isChanged = false;
  // Thousands of entries can arrive at once. Each of them changes how far the page is behind.
  const show = gathered(() =>
    batch(() => {
      journal.show();
      connection.value = state;
      if (isChanged) changes.value += 1;
      isChanged = false;
    }),
  );
  const showChange = () => {
    isChanged = true;
    show();
  };
  const tellOfChange = (kinds: readonly (ChangeKind | 'any')[] = ['any']) => {
    for (const kind of kinds) counts.set(kind, countOf(kind) + 1);
    showChange();
  };
  const beginAnew = () => {
    journal.clear();
    beginnings.value += 1;
    show();
  };
  void follow(
    surface,
    {
      state: (now) => {
        state = now;
        show();
      },
      start: ({ workspaceId, resumed, journal: name, failedTest: failed }) => {
        id.value = workspaceId;
        failedTest.value = failed;
        if (!resumed && journal.name !== '') hasRestarted.value = true;
        journal.name = name;
        if (!resumed) beginAnew();
        tellOfChange();
      },
      entry: (entry) => {
        journal.add(entry);
        showChange();
      },
      missed: (count) => journal.missed(count),
      cleared: beginAnew,
      changed: tellOfChange,
    },
    ending.signal,
  );
  const shows = <Value>(load: () => Promise<Value>, ...kinds: readonly ChangeKind[]) =>
    createResource(
      load,
      computed(() => {
        const { value } = changes;
        return kinds.length === 0 ? value : kinds.reduce((sum, kind) => sum + countOf(kind), countOf('any'));
      }),
    );
  const before = <Value>(load: () => Promise<Value>) => createResource(load, beginnings);
  const listed = <Item>(
    load: () => Promise<{ readonly data: readonly Item[] }>,
    ...kinds: readonly ChangeKind[]
  ) => shows(async () => (await load()).data, ...kinds);
  const contacts = shows(
    () => surface.control(control.contacts.list, { query: { limit: largestPage } }),
    'contacts',
  );
  /** How many changes the list of subscriptions has. */
  let listedAfter = -1;
  const subscriptions = listed(async () => {
    const after = countOf('any') + countOf('subscriptions');
    const list = await surface.control(control.subscriptions.list);
    listedAfter = after;
    return list;
  }, 'subscriptions');
  // While a new subscription is not listed yet, none counts as gone.
  const receivers = computed(() => {
    const { value: listed } = subscriptions;
    void changes.value;
    const isCurrent = listedAfter === countOf('any') + countOf('subscriptions');
    return isCurrent ? listed && new Set(listed.map(({ id }) => id)) : undefined;
  });
  const runsBefore = before(() =>
    surface.control(control.journal.journeyRuns, { query: { limit: largestPage } }),
  );
  const clock = shows(async () => ({ ...(await surface.control(control.clock.now)), askedAt: Date.now() }));
  const ticker = createTicker();
  const segments = shows(
    async () => {
      const { data } = await surface.control(control.segments.list);
      return Promise.all(
        data.map(async (segment) => {
          const path = { id: segment.id };
          return { segment, members: (await surface.control(control.journal.segmentMembers, { path })).data };
        }),
      );
    },
    'segments',
    'contacts',
    'events',
  );
  const journeys = listed(() => surface.control(control.journeys.list), 'journeys');
  const deliveriesOf = (status: 'pending' | 'failed') =>
    listed(
      () => surface.control(control.deliveries.find, { query: { status, limit: mostDeliveries } }),
      'deliveries',
    );
  const failed = deliveriesOf('failed');
  const pending = deliveriesOf('pending');
  return {
    surface,
    journal,
    recording: signal<number>(),
    id,
    connection,
    hasRestarted,
    failedTest,
    clock,
    moveClock: async (moved) => {
      await moved;
      await clock.refresh();
    },
    now: computed(() => {
      const { value } = clock;
      if (value === undefined || value.flow === 'frozen') return value?.now;
      return value.now + Math.max(0, ticker.value - value.askedAt);
    }),
    receiver: shows(() => surface.control(control.receiver.read), 'specGaps'),
    quota: shows(() => surface.control(control.quota.read), 'sends'),
    templates: listed(() => surface.control(control.templates.list), 'templates'),
    segments,
    journeys,
    heard: computed(() => {
      if (journeys.value === undefined || segments.value === undefined) return undefined;
      return new Set([
        ...journeys.value.map(({ event }) => event),
        ...segments.value.flatMap(({ segment }) => ('event' in segment ? [segment.event] : [])),
      ]);
    }),
    faults: listed(() => surface.control(control.faults.list), 'faults'),
    specGaps: shows(() => surface.control(control.specGaps.read), 'specGaps'),
    subscriptions,
    pending,
    asItIs: (delivery) => asItIs(journal.deliveries.value.get(delivery.id) ?? delivery, receivers.value),
    failing: computed(() =>
      failingIn(
        [...(failed.value ?? []), ...(pending.value ?? []), ...journal.deliveries.value.values()],
        receivers.value,
      ),
    ),
    shows,
    before,
    people: computed(() => {
      journal.people.list(contacts.value?.data ?? []);
      return journal.people.all;
    }),
    hasMorePeople: computed(() => contacts.value?.more === true),
    runs: computed(() => {
      const before = runsBefore.value?.data.map((run) => [run.id, run] as const) ?? [];
      const latest = new Map([...before, ...journal.runs.value]);
      return [...latest.values()].sort((one, other) => other.startedAt - one.startedAt);
    }),
    beginAnew,
    stop: () => ending.abort(),
  };
}

/** The largest number of deliveries that the page asks for at once. */
const mostDeliveries = 200;

/** The largest number of contacts or journey runs: the server's largest page. */
const largestPage = 10_000;
