import { MessagingAutomation } from '../../client/client.js';
import type { Workspace } from '../../client/definition/workspace-definition.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ServerClock } from '../time/clock.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { reset } from '../workspace/restore.js';
import { clockOf } from './clock.js';
import { contactsOf, type WorkspaceContacts } from './contacts.js';
import { deliveriesOf, type WorkspaceDeliveries } from './deliveries/deliveries.js';
import { eventsOf, type WorkspaceEvents } from './events.js';
import { type Faults, faultsOf } from './faults.js';
import { type Journal, journalOf } from './journal/journal.js';
import { journeysOf, type WorkspaceJourneys } from './journeys.js';
import { keysOf, type WorkspaceKeys } from './keys.js';
import { listenersOf, type WorkspaceListeners } from './listeners.js';
import { type ManagedWebhooks, managedWebhooksOf } from './managed-webhooks.js';
import { quotaOf, type WorkspaceQuota } from './quota.js';
import { receiverOf, type WorkspaceReceiver } from './receiver.js';
import { segmentsOf, type WorkspaceSegments } from './segments.js';
import { sendsOf, type WorkspaceSends } from './sends.js';
import { type Simulation, simulationOf } from './simulate.js';
import { specGapsOf, type WorkspaceSpecGaps } from './spec-gaps.js';
import { subscriptionsOf, type WorkspaceSubscriptions } from './subscriptions.js';
import { templatesOf, type WorkspaceTemplates } from './templates.js';
import { contactsUnderTest, type TestContact } from './test-contact/test-contact.js';
import { restoreFrom, seedOf, snapshotOf, type WorkspaceSnapshot } from './workspace.js';

export type { Workspace };

/** The functions of the server that a workspace uses. */
export interface WorkspaceHost {
  /** Handles a request without a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Closes the workspace. */
  readonly remove: (workspace: LiveWorkspace) => Promise<void>;
  /** Returns the state of a server whose own is the workspace: with `entries`, the moment with that many of the journal. */
  readonly state: (workspace: LiveWorkspace, entries?: number) => Promise<object>;
}

/** The base URL for requests without a socket. */
const socketlessBaseUrl = 'http://reference-server.test/api';

/**
 * One workspace of a reference server: its contacts, templates, subscriptions, clock and journal. Workspaces share no data,
 * so each test can have its own. `server.workspace()` creates a workspace. `W` is the type of the
 * workspace of `createTypedReferenceServer`.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReferenceWorkspace } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await using workspace: ReferenceWorkspace = server.workspace({ quota: 5 });
 * await workspace.client.contacts.upsert({ phone: '+15551234567' });
 * ```
 */
export class ReferenceWorkspace<W extends Workspace = Workspace> implements AsyncDisposable {
  readonly #live: LiveWorkspace;
  readonly #host: WorkspaceHost;
  readonly #definition: W | undefined;
  readonly #contact: (phone: string) => TestContact<W>;
  #client: MessagingAutomation<W> | undefined;
  /** The workspace's id. */
  readonly id: string;
  /** The API key of the workspace. */
  readonly apiKey: string;
  /** Controls the workspace's time. */
  readonly clock: ServerClock;
  /** Issues, rotates and revokes API keys. */
  readonly keys: WorkspaceKeys;
  /** Simulates what contacts do. */
  readonly simulate: Simulation;
  /** The subscriptions that the service itself manages for automation platforms. */
  readonly managedWebhooks: ManagedWebhooks;
  /** Lists and removes all webhook subscriptions. */
  readonly subscriptions: WorkspaceSubscriptions;
  /** Delivers to programs that connect to the server, for receivers that the server cannot reach. */
  readonly listeners: WorkspaceListeners;
  /** The built-in receiver: reads and sets how it responds. */
  readonly receiver: WorkspaceReceiver;
  /** Reads and sets the remaining conversations. */
  readonly quota: WorkspaceQuota;
  /** Lists and finds contacts. */
  readonly contacts: WorkspaceContacts;
  /** Lists and changes templates. */
  readonly templates: WorkspaceTemplates;
  /** Lists and changes segments. */
  readonly segments: WorkspaceSegments;
  /** Lists and changes journeys. */
  readonly journeys: WorkspaceJourneys;
  /** Reads and changes the gaps of the service's document: behavior that it does not specify. */
  readonly specGaps: WorkspaceSpecGaps;
  /** Injects faults into requests and deliveries. */
  readonly faults: Faults;
  /** Reads the journal: everything that happened in the workspace. */
  readonly journal: Journal;
  /** Finds sent template messages, and waits for them. */
  readonly sends: WorkspaceSends;
  /** Finds tracked events, and waits for them. */
  readonly events: WorkspaceEvents;
  /** Finds webhook deliveries, and waits for them. */
  readonly deliveries: WorkspaceDeliveries;

  /** @internal */
  constructor(live: LiveWorkspace, host: WorkspaceHost, definition: W | undefined) {
    this.#live = live;
    this.#host = host;
    this.#definition = definition;
    this.#contact = contactsUnderTest(live, definition);
    this.id = live.id;
    this.apiKey = live.apiKey;
    this.clock = clockOf(live);
    this.keys = keysOf(live);
    this.quota = quotaOf(live);
    this.receiver = receiverOf(live);
    this.contacts = contactsOf(live);
    this.templates = templatesOf(live);
    this.segments = segmentsOf(live);
    this.journeys = journeysOf(live);
    this.specGaps = specGapsOf(live);
    this.faults = faultsOf(live);
    this.journal = journalOf(live);
    this.sends = sendsOf(live);
    this.events = eventsOf(live);
    this.deliveries = deliveriesOf(live);
    this.simulate = simulationOf(live);
    this.managedWebhooks = managedWebhooksOf(live);
    this.subscriptions = subscriptionsOf(live);
    this.listeners = listenersOf(live);
  }

  /**
   * A client with the workspace's key. It calls the server directly, without a socket. It does not retry, so that a test
   * sees each failure. To test code with retries, create your own client. It has the types and checks of the
   * workspace of `createTypedReferenceServer`.
   */
  get client(): MessagingAutomation<W> {
    this.#client ??= new MessagingAutomation({
      apiKey: this.apiKey,
      baseUrl: socketlessBaseUrl,
      allowInsecureHttp: true, // nothing crosses a network
      retries: 0,
      workspace: this.#definition,
      fetch: async (input, init) => {
        await this.#live.life.ready;
        return this.#host.fetch(new Request(input, init));
      },
    });
    return this.#client;
  }

  /**
   * Returns the contact with a phone for a test: what the person writes, receives and agrees to. The workspace need not have the contact
   * yet.
   *
   * @throws ConfigurationError if the phone is not in E.164 format, such as +15551234567.
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] });
   * const ada = server.contact('+15551234567');
   * await ada.says('Hello');
   * await server.client.transactional.send({ phone: ada.phone, templateId: 'welcome', variables: { '1': 'Ada' } });
   * console.log((await ada.receives('welcome')).text); // Welcome, Ada!
   * ```
   */
  contact(phone: string): TestContact<W> {
    return this.#contact(phone);
  }

  /**
   * Waits for running work, and returns the records and the time of the workspace as plain data that JSON can represent.
   * The snapshot contains signing secrets, but no API key and no journal.
   */
  snapshot(): Promise<WorkspaceSnapshot> {
    return run(this.#live, () => snapshotOf(this.#live));
  }

  /**
   * Restores the records and the time of a snapshot. Work that was waiting when the snapshot was taken waits again. Keeps
   * the id, the keys and the journal. Aborts each request that a fault is delaying.
   *
   * @throws ConfigurationError that names each invalid field of the snapshot.
   */
  restore(snapshot: WorkspaceSnapshot): Promise<void> {
    return restoreFrom(this.#live, snapshot);
  }

  /**
   * Returns the current content of the workspace as a seed: plain data for `createReferenceServer`, `server.workspace()`
   * or the file of `serve --seed`. A seed has no history: no sends, events, journey runs or deliveries, and no consent.
   * Subscriptions that the API created become `managedWebhooks`. The seed contains signing secrets and phone numbers, but no
   * API key and no generated ids.
   *
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer();
   * await server.templates.put({ id: 'welcome', body: 'Welcome!' });
   * await server.client.contacts.upsert({ phone: '+15551234567', properties: { city: 'Paris' } });
   *
   * await using again = createReferenceServer(await server.seed());
   * console.log((await again.client.contacts.find('+15551234567'))?.properties.city); // Paris
   * ```
   */
  seed(): Promise<WorkspaceSeed> {
    return run(this.#live, () => seedOf(this.#live));
  }

  /**
   * Restores the seed: contacts, templates, segments, journeys, quota, managed webhooks, `specGaps` and faults. Deletes
   * everything else, including the journal. Sets the clock to the seed's `now`, or to the machine's time if the seed has
   * none. Keeps the id and the keys.
   */
  reset(): Promise<void> {
    return run(this.#live, () => reset(this.#live));
  }

  /**
   * Resolves when no due work is left: all events are processed, and all running delivery attempts have ended.
   */
  settled(): Promise<void> {
    return run(this.#live, () => this.#live.life.settled());
  }

  /**
   * Closes the workspace: cancels all waiting work, revokes its keys and rejects further calls. You can still call `find`
   * on `sends`, `events`, `deliveries` and `journal`.
   */
  close(): Promise<void> {
    return this.#host.remove(this.#live);
  }

  /**
   * Returns the state at this moment as plain data: the clocks are frozen, and that many of the latest journal entries are in it.
   * The first workspace of a server comes with all others.
   *
   * @internal
   */
  moment(entries: number): Promise<object> {
    return this.#host.state(this.#live, entries);
  }

  /** Calls `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
