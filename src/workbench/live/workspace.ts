import { batch, computed, signal } from '@preact/signals';
import type { ChangeKind } from '../../server/model/change.js';
import { asItIs, failingIn } from '../reading/deliveries.js';
import type { DeliverySnapshot } from '../surface/entry.js';
import { control } from '../surface/operations.js';
import type { Surface } from '../surface/surface.js';
import { type ConnectionState, followAlone, type StreamReader } from './connection.js';
import { FollowedJournal } from './journal.js';
import { createResource } from './resource.js';
import { createTicker, gathered } from './time.js';

/** The workspace as the page knows it: it follows the server, and asks for what something shows. */
export type FollowedWorkspace = ReturnType<typeof followWorkspace>;

/** Reads the journal for a reader until the signal aborts. */
type Follow = (surface: Surface, reader: StreamReader, signal: AbortSignal) => Promise<void>;

/** Starts to follow a workspace. `stop` ends it. */
export function followWorkspace(surface: Surface, follow: Follow = followAlone) {
  const ending = new AbortController();
  const journal = new FollowedJournal();
  const connection = signal<ConnectionState>({ kind: 'connecting' });
  const id = signal<string>();
  const hasRestarted = signal(false);
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
      start: ({ workspaceId, resumed, journal: name }) => {
        id.value = workspaceId;
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
    /** The number of the entry after which a person records. Undefined while nobody does. */
    recording: signal<number>(),
    id,
    connection,
    /** Whether the server has restarted with an empty journal, until a person closes the note. */
    hasRestarted,
    clock,
    /** Waits until the clock has moved, and shows its time at once. */
    moveClock: async (moved: Promise<unknown>) => {
      await moved;
      await clock.refresh();
    },
    /** The workspace's time now, in epoch milliseconds. Undefined until it is known. */
    now: computed(() => {
      const { value } = clock;
      if (value === undefined || value.flow === 'frozen') return value?.now;
      return value.now + Math.max(0, ticker.value - value.askedAt);
    }),
    /** The built-in receiver. */
    receiver: shows(() => surface.control(control.receiver.read), 'specGaps'),
    quota: shows(() => surface.control(control.quota.read), 'sends'),
    templates: listed(() => surface.control(control.templates.list), 'templates'),
    /** Each with the ids of its members. */
    segments,
    journeys,
    /** The events that journeys and segments listen to. Undefined until they are known. */
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
    /** A delivery as it is now, of which the journal or a list has how it was. */
    asItIs: (delivery: DeliverySnapshot) =>
      asItIs(journal.deliveries.value.get(delivery.id) ?? delivery, receivers.value),
    /** The failed deliveries that nothing sent again, whenever they failed. */
    failing: computed(() =>
      failingIn(
        [...(failed.value ?? []), ...(pending.value ?? []), ...journal.deliveries.value.values()],
        receivers.value,
      ),
    ),
    /**
     * Asks for something else that the server knows, for as long as it is shown.
     *
     * @param kinds - The changes after which it asks again. Default: all.
     */
    shows,
    /** Requests the earlier records once, and again after the journal restarts. */
    before,
    /** The contacts that the page knows, by id: those that did something last come first. */
    people: computed(() => {
      journal.people.list(contacts.value?.data ?? []);
      return journal.people.all;
    }),
    /** Whether the workspace has more contacts than the page asks for. */
    hasMorePeople: computed(() => contacts.value?.more === true),
    /** All journey runs, newest first. A server with a state file has runs from before its journal. */
    runs: computed(() => {
      const before = runsBefore.value?.data.map((run) => [run.id, run] as const) ?? [];
      const latest = new Map([...before, ...journal.runs.value]);
      return [...latest.values()].sort((one, other) => other.startedAt - one.startedAt);
    }),
    /** Forgets what happened before a reset, or before a snapshot took the place of the workspace. */
    beginAnew,
    stop: () => ending.abort(),
  };
}

/** The largest number of deliveries that the page asks for at once. */
const mostDeliveries = 200;

/** The largest number of contacts or journey runs: the server's largest page. */
const largestPage = 10_000;
