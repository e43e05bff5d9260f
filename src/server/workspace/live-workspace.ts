import type { Clock } from '../../foundation/clock.js';
import { attemptsBy } from '../deliveries/attempts.js';
import { Dispatcher } from '../deliveries/dispatcher.js';
import { Listeners } from '../deliveries/listeners.js';
import type { Sender } from '../deliveries/sender.js';
import { tellingOfTime } from '../deliveries/telling-of-time.js';
import { DeliveryFaults } from '../faults/delivery-faults.js';
import { RequestFaults } from '../faults/request-faults.js';
import { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { Environment } from '../model/environment.js';
import type { ServerLog } from '../model/log.js';
import type { DeliveryRecord, WorkspaceState } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import { recordOf } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Provider } from '../service/provider.js';
import { createServices, type Services } from '../service/services.js';
import type { Store } from '../store/store.js';
import { type ClockFlow, SteerableClock } from '../time/clock.js';
import { HeldRequests } from '../time/held-requests.js';
import { toEpochMilliseconds } from '../time/instant.js';
import { Work } from '../time/work.js';
import { ApiKeys } from './api-keys.js';
import { History } from './history.js';
import { logHistory } from './history-log.js';
import { digestOfKey } from './key-digest.js';
import { Numbering } from './numbering.js';
import { type SavedWorkspace, settingsOf, timeAt } from './saved-workspace.js';
import { Waits } from './waits.js';

/** The parts that all workspaces of a server share. */
export interface WorkspaceDependencies {
  readonly store: Store;
  /** The ids of all workspaces, and the digests of all keys. */
  readonly taken: Set<string>;
  /** The machine's clock. */
  readonly machine: Clock;
  readonly newId: Environment['newId'];
  readonly randomBytes: Environment['randomBytes'];
  /** Creates a sender for one workspace, which closes without the others. */
  readonly createSender: () => Sender;
  /** The timeout of an attempt, in milliseconds of the machine's clock. */
  readonly deliveryTimeout: number;
  readonly receiverAddresses: ReceiverAddresses;
  readonly provider: Provider;
  readonly log: ServerLog | undefined;
  /** Called after each change outside the store. The store reports its own changes. */
  readonly changed: () => void;
}

/** A running workspace: its records, its clock, and the rules of the service. */
export class LiveWorkspace {
  readonly id: string;
  /** The key that the workspace was created with. A restored workspace without a given key has one that is not valid. */
  readonly apiKey: string;
  readonly clock: SteerableClock;
  readonly work: Work;
  readonly history = new History();
  /** When this process took the workspace up, by the machine's clock. The numbers of the journal begin anew then. */
  readonly startedAt: number;
  /** The faults of the workspace. */
  readonly faults: WorkspaceFaults;
  readonly requestFaults: RequestFaults;
  readonly context: WorkspaceContext;
  readonly services: Services;
  readonly keys: ApiKeys;
  /** Resolves when the workspace has its seed. Until then, no key opens it. */
  readonly ready: Promise<void>;
  /** Resolves when the workspace is ready for calls. Rejects after a close. */
  readonly opened = async (): Promise<void> => {
    this.refuseIfClosed();
    await this.ready;
  };
  /** The numbers of the records, for the cursors of lists. */
  readonly numberings = {
    contacts: new Numbering(),
    sends: new Numbering(),
    events: new Numbering(),
    deliveries: new Numbering(),
    journeyRuns: new Numbering(),
  };
  /** The waits over HTTP. */
  readonly waits = new Waits();
  readonly listeners: Listeners;
  readonly #deliveryFaults: DeliveryFaults;
  /** The requests that faults delay. */
  readonly #heldRequests = new HeldRequests();
  readonly #dispatcher: Dispatcher;
  readonly #dependencies: WorkspaceDependencies;
  readonly #seed: WorkspaceSeed;
  readonly #gaps: { -readonly [Name in keyof SpecGaps]: SpecGaps[Name] };
  /** The state of the workspace when it became ready. */
  #beginning: WorkspaceState | undefined;
  #closing: Promise<void> | undefined;

  /** @param saved - The state to resume from. Default: a new workspace. */
  constructor(seed: WorkspaceSeed, dependencies: WorkspaceDependencies, saved?: SavedWorkspace) {
    const { store, machine, newId, randomBytes, createSender, provider, log, changed } = dependencies;
    this.#dependencies = dependencies;
    this.#seed = seed;
    this.#gaps = { ...defaultSpecGaps, ...(saved ?? seed).specGaps };
    this.id = seed.workspaceId ?? newId('workspace');
    this.startedAt = machine.now();
    this.work = new Work((error) =>
      log?.({ type: 'error', time: new Date(this.clock.now()).toISOString(), message: String(error) }),
    );
    this.clock = new SteerableClock(
      machine,
      saved?.clock.flow ?? this.#flow,
      () => this.settled(),
      saved === undefined ? this.#start() : timeAt(saved.clock, machine),
      changed,
    );
    const { deliveryTimestamps: stamps = 'workspace' } = seed;
    const deliveryClock = stamps === 'machine' ? machine : this.clock;
    const created = store.createWorkspace(recordOf(seed, this.id));
    this.context = {
      store: store.workspace(this.id),
      environment: { clock: this.clock, deliveryClock, newId, randomBytes },
      work: this.work,
      receiverAddresses: dependencies.receiverAddresses,
      gaps: this.#gaps,
      record: (entry) => this.history.record(entry),
    };
    if (log !== undefined) logHistory(this.history, log, this.context.store);
    this.faults = new WorkspaceFaults(seed.randomSeed, seed.faults, changed);
    if (saved !== undefined) this.faults.goOn(saved.faults);
    this.requestFaults = new RequestFaults(this.faults, this.context, this.#heldRequests);
    this.#deliveryFaults = new DeliveryFaults(this.faults, this.context);
    this.listeners = new Listeners(this.context, { machine, timeout: dependencies.deliveryTimeout });
    const attempts = this.#deliveryFaults.around(
      tellingOfTime(this.listeners.around(attemptsBy(createSender())), {
        machine,
        workspace: this.clock,
        stamps,
      }),
    );
    this.#dispatcher = new Dispatcher(this.context, attempts, log);
    this.services = createServices(this.context, this.#dispatcher, provider);
    this.keys = new ApiKeys(store, this.id, newId, dependencies.taken);
    this.apiKey = seed.apiKey ?? newId('key');
    dependencies.taken.add(this.id);
    for (const digest of saved?.apiKeyDigests ?? [digestOfKey(this.apiKey)]) this.keys.reserve(digest);
    this.ready = created.then(() => (saved === undefined ? this.#fill(seed) : this.#goOn(saved)));
  }

  /** The machine's clock. */
  get machine(): Clock {
    return this.#dependencies.machine;
  }

  /** The behavior that the document leaves open. */
  get gaps(): SpecGaps {
    return this.context.gaps;
  }

  /** Resolves when no due work is left. */
  settled(): Promise<void> {
    return this.work.settled();
  }

  /** Sends the same bytes again. Throws if the delivery or its subscription was deleted. */
  async redeliver(deliveryId: string): Promise<DeliveryRecord> {
    await this.opened();
    const { store, environment } = this.context;
    const delivery = await store.outbox.redeliver(
      deliveryId,
      environment.newId('delivery'),
      environment.clock.now(),
    );
    if (delivery === undefined) {
      throw new ServiceError(
        'not_found',
        'There is no such delivery in this workspace, or its subscription was deleted.',
      );
    }
    this.#dispatcher.wake([delivery.subscriptionId]);
    return delivery;
  }

  /** Returns the current state, from which the workspace can resume in another process. Does not wait for running work. */
  async save(): Promise<SavedWorkspace> {
    const now = {
      apiKeyDigests: this.keys.digests,
      clock: this.clock.position,
      specGaps: { ...this.gaps },
      faults: this.faults.save(),
      state: await this.context.store.readState(),
    };
    return { ...now, beginning: { settings: settingsOf(this.#seed), state: this.#beginning ?? now.state } };
  }

  /** Returns the state of the workspace after all running work has ended. */
  async readState(): Promise<WorkspaceState> {
    await this.opened();
    await this.settled();
    return this.context.store.readState();
  }

  /**
   * Restores an earlier state and resumes from it. Aborts the requests that faults delay.
   *
   * @param flow - Whether the clock flows from then on. Default: as before.
   */
  async restore(state: WorkspaceState, time: number, flow?: ClockFlow): Promise<void> {
    await this.opened();
    await this.settled();
    this.clock.jump(time, flow);
    this.#heldRequests.breakOff();
    this.#deliveryFaults.forget();
    this.#dispatcher.forget();
    this.services.rateLimit.forget();
    await this.#resumeFrom(state);
  }

  /** Changes the behavior that the document leaves open. */
  changeGaps(changes: Partial<SpecGaps>): void {
    Object.assign(this.#gaps, changes);
    this.#dependencies.changed();
  }

  /** Restores the seed and its initial time. Keeps the keys. */
  async reset(): Promise<void> {
    await this.opened();
    if (this.#beginning !== undefined) await this.restore(this.#beginning, this.#start(), this.#flow);
    this.changeGaps({ ...defaultSpecGaps, ...this.#seed.specGaps });
    this.faults.reset(this.#seed.faults);
    this.history.clear();
  }

  /** Starts no further work. Running work continues, and the records stay. */
  stop(): void {
    this.clock.stop();
    this.waits.end();
    this.listeners.stop();
    this.#heldRequests.end();
    this.#dispatcher.close();
  }

  /** Abandons running work too. Its tasks wait again. */
  async handBack(): Promise<void> {
    this.stop();
    this.work.close();
    await this.#dispatcher.handBack();
  }

  /** Closes the workspace: cancels all waiting work and revokes its keys. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** @throws Error once the workspace was closed. */
  refuseIfClosed(): void {
    if (this.#closing === undefined) return;
    throw new Error('This workspace is closed. Create another with server.workspace().');
  }

  async #close(): Promise<void> {
    const { store, taken } = this.#dependencies;
    this.clock.end(() => this.refuseIfClosed());
    await this.handBack();
    // The seed must not add records after the deletion.
    await this.ready.catch(() => {});
    await store.deleteWorkspace(this.id);
    this.keys.release();
    taken.delete(this.id);
  }

  async #fill({ contacts = [], managedWebhooks = [] }: WorkspaceSeed): Promise<void> {
    for (const contact of contacts) await this.services.contacts.upsert(contact);
    for (const webhook of managedWebhooks) await this.services.subscriptions.manage(webhook);
    this.#beginning = await this.context.store.readState();
    await this.keys.admitReserved();
  }

  async #goOn({ state, beginning }: SavedWorkspace): Promise<void> {
    this.#beginning = beginning.state;
    await this.#resumeFrom(state);
    await this.keys.admitReserved();
  }

  async #resumeFrom(state: WorkspaceState): Promise<void> {
    await this.context.store.replaceState(state);
    await this.services.transactional.resume();
    // Resume waiting runs before waiting events: an event begins the runs that it starts.
    await this.services.journeys.resume();
    await this.services.events.resume();
    this.listeners.resume(state.subscriptions);
    await this.#dispatcher.resume();
  }

  /** Whether the clock flows at first. */
  get #flow(): ClockFlow {
    return this.#seed.clock ?? 'flowing';
  }

  #start(): number {
    const { now } = this.#seed;
    return now === undefined ? this.machine.now() : toEpochMilliseconds(now);
  }
}
