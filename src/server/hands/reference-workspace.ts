import { MessagingAutomation } from '../../client/client.js';
import type { Faults } from '../faults/faults.js';
import type { ServerClock } from '../time/clock.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { contactsOf, type WorkspaceContacts } from './contacts.js';
import { deliveriesOf, type WorkspaceDeliveries } from './deliveries.js';
import { eventsOf, type WorkspaceEvents } from './events.js';
import { faultsOf } from './faults.js';
import { type Journal, journalOf } from './journal.js';
import { journeysOf, type WorkspaceJourneys } from './journeys.js';
import { keysOf, type WorkspaceKeys } from './keys.js';
import { type ManagedWebhooks, managedWebhooksOf } from './managed-webhooks.js';
import { quotaOf, type WorkspaceQuota } from './quota.js';
import { segmentsOf, type WorkspaceSegments } from './segments.js';
import { sendsOf, type WorkspaceSends } from './sends.js';
import { type Simulation, simulationOf } from './simulation.js';
import { restoreFrom, snapshotOf } from './snapshot.js';
import { type SpecGapSwitches, specGapsOf } from './spec-gap-switches.js';
import { templatesOf, type WorkspaceTemplates } from './templates.js';
import type { WorkspaceSnapshot } from './workspace-snapshot.js';

/** How a workspace reaches the server that it is of. */
export interface WorkspaceHost {
  /** Answers a request without a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the workspace. */
  readonly remove: (workspace: LiveWorkspace) => Promise<void>;
}

/** Where a socketless server seems to be. */
const socketlessBaseUrl = 'http://reference-server.test/api';

/**
 * One workspace of a reference server, as a test holds it: a unit that shares nothing with the others, made in a moment
 * and thrown away as a whole. `server.workspace()` makes one.
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
export class ReferenceWorkspace implements AsyncDisposable {
  readonly #live: LiveWorkspace;
  readonly #host: WorkspaceHost;
  #client: MessagingAutomation | undefined;
  /** The workspace's id. */
  readonly id: string;
  /** The key that opens the workspace. */
  readonly apiKey: string;
  /** The workspace's time, in a test's hands. */
  readonly clock: ServerClock;
  /** More keys, and fewer. */
  readonly keys: WorkspaceKeys;
  /** What contacts do, done by a test. */
  readonly simulate: Simulation;
  /** The subscriptions that the service manages itself, for automation platforms. */
  readonly managedWebhooks: ManagedWebhooks;
  /** The conversations that are left to spend. */
  readonly quota: WorkspaceQuota;
  /** The contacts, all of them or those that match. */
  readonly contacts: WorkspaceContacts;
  /** The templates, to be changed. */
  readonly templates: WorkspaceTemplates;
  /** The segments, to be changed. */
  readonly segments: WorkspaceSegments;
  /** The journeys, to be changed. */
  readonly journeys: WorkspaceJourneys;
  /** What the workspace does where the service's document shows nothing, to be changed. */
  readonly specGaps: SpecGapSwitches;
  /** What goes wrong because a test wants it to. */
  readonly faults: Faults;
  /** What has happened in the workspace so far. */
  readonly journal: Journal;
  /** The template messages that were sent, and those that will be. */
  readonly sends: WorkspaceSends;
  /** The events that were tracked, and those that will be. */
  readonly events: WorkspaceEvents;
  /** The webhook deliveries that were attempted, and those that will be. */
  readonly deliveries: WorkspaceDeliveries;

  /** @internal */
  constructor(live: LiveWorkspace, host: WorkspaceHost) {
    this.#live = live;
    this.#host = host;
    this.id = live.id;
    this.apiKey = live.apiKey;
    this.clock = live.clock;
    this.keys = keysOf(live);
    this.quota = quotaOf(live);
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
  }

  /**
   * A client with the workspace's key, which needs no socket. It makes each request once, so that a test sees each
   * failure; give a client of your own to what is tested with retries.
   */
  get client(): MessagingAutomation {
    this.#client ??= new MessagingAutomation({
      apiKey: this.apiKey,
      baseUrl: socketlessBaseUrl,
      allowInsecureHttp: true, // nothing crosses a network
      retries: 0,
      fetch: (input, init) => this.#host.fetch(new Request(input, init)),
    });
    return this.#client;
  }

  /**
   * All that the workspace holds, and its time, as plain data that can be written to a file as JSON. It waits for what
   * is under way. It holds signing secrets, but no API key and no journal.
   */
  snapshot(): Promise<WorkspaceSnapshot> {
    return snapshotOf(this.#live);
  }

  /**
   * Puts the workspace back to what it held when the snapshot was taken, and to that time; what waited then falls due
   * again. The id, the keys and the journal's entries stay. A request that a fault keeps waiting is broken off: what it
   * did, or would have done, is not in that state.
   *
   * @throws TypeError where that is no snapshot; it names what is wrong.
   */
  restore(snapshot: WorkspaceSnapshot): Promise<void> {
    return restoreFrom(this.#live, snapshot);
  }

  /**
   * Puts the workspace back to what its seed made of it: contacts, templates, segments, journeys, quota, managed webhooks,
   * `specGaps` and faults are the seed's again, and what came beside them is gone, the journal's entries too. The clock goes
   * to the seed's `now` or, where it has none, to the machine's time. The id and the keys stay.
   */
  reset(): Promise<void> {
    return this.#live.reset();
  }

  /** Resolves when all that is due has been done: events are processed, delivery attempts have ended. */
  async settled(): Promise<void> {
    await this.#live.opened();
    await this.#live.settled();
  }

  /**
   * Ends the workspace: nothing that waits will happen, its keys open nothing any more, and it refuses to be asked for
   * anything. What happened can still be read: `find` of `sends`, `events`, `deliveries` and `journal`.
   */
  close(): Promise<void> {
    return this.#host.remove(this.#live);
  }

  /** The same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
