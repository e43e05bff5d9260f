import type { Clock } from '../../foundation/clock.js';
import { attemptsBy } from '../deliveries/attempts.js';
import { Dispatcher } from '../deliveries/dispatcher.js';
import { Listeners } from '../deliveries/listeners.js';
import type { Sender } from '../deliveries/sender.js';
import { tellingOfTime } from '../deliveries/telling-of-time.js';
import { DeliveryFaults } from '../faults/delivery-faults.js';
import { RequestFaults } from '../faults/request-faults.js';
import { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { DeliveryTimestamps, Environment } from '../model/environment.js';
import type { ServerLog } from '../model/log.js';
import type { DeliveryRecord, WorkspaceState } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import { recordOf } from '../seed/parse-seed.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import type { WorkspaceContext } from '../service/context.js';
import { OwnAdmissions } from '../service/own-admissions.js';
import type { Provider } from '../service/provider.js';
import { createServices, type Services } from '../service/services.js';
import type { DueWork } from '../store/schedule-store.js';
import type { SharedWorkspaceStore } from '../store/shared-store.js';
import type { Store } from '../store/store.js';
import { type ClockFlow, SteerableClock } from '../time/clock.js';
import { HeldRequests } from '../time/held-requests.js';
import { toEpochMilliseconds } from '../time/instant.js';
import { backgroundClock, lookAgainAfter, machineClock } from '../time/machine-clock.js';
import { Work } from '../time/work.js';
import { ApiKeys } from './api-keys.js';
import { deliveryClock } from './delivery-clock.js';
import { History } from './history.js';
import { historyLog } from './history-log.js';
import { digestOfKey } from './key-digest.js';
import { Numbering } from './numbering.js';
import { type SavedWorkspace, settingsOf, timeAt } from './saved-workspace.js';
import { AmongReplicas } from './sharing/among-replicas.js';
import { applyConditions, type ConditionedParts, conditionsOf } from './sharing/conditions-of-workspace.js';
import type { Sharing } from './sharing/sharing.js';
import { unshared } from './sharing/unshared.js';
import { stateFromText } from './state-text.js';
import { Waits } from './waits.js';

/** Why a workspace in a shared store has no listeners: a listener is connected to only one process. */
const noListeners =
  'This server shares its store with other replicas, so it has no listeners. Subscribe a URL that every replica can reach, ' +
  'or use listen with a server without a shared store.';

/** How often to check whether other replicas have finished their work. In milliseconds. */
const othersLookedAtEvery = 10;

/** The parts that all workspaces of a server share. */
export interface WorkspaceDependencies {
  readonly store: Store;
  /** The ids of all workspaces, and the digests of all keys. With a shared store, only the store knows them. */
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

/** The source of a workspace's content. */
export type WorkspaceOrigin =
  /** Its seed. */
  | { readonly kind: 'seed' }
  /** An earlier process. */
  | { readonly kind: 'saved'; readonly saved: SavedWorkspace }
  /** A store that replicas share. `added` resolves when the store has the workspace. */
  | {
      readonly kind: 'store';
      readonly store: SharedWorkspaceStore;
      readonly added: Promise<void>;
      /** Called when another replica has deleted the workspace. */
      readonly onGone: (workspace: LiveWorkspace) => void;
    };

/** A running workspace: its records, its clock, and the rules of the service. */
export class LiveWorkspace {
  readonly id: string;
  /** The initial key of the workspace. A resumed workspace without a given key has an invalid one here. */
  readonly apiKey: string;
  readonly clock: SteerableClock;
  readonly work: Work;
  /** The requests that this process handles. */
  readonly requests = new Work(() => {});
  readonly history = new History();
  /**
   * When this process started the workspace, by the machine's clock. It identifies the journal, whose numbers restart with the
   * process. 0 if replicas share the journal, because its numbers continue.
   */
  readonly startedAt: number;
  /** The faults of the workspace. */
  readonly faults: WorkspaceFaults;
  readonly requestFaults: RequestFaults;
  readonly context: WorkspaceContext;
  readonly services: Services;
  readonly keys: ApiKeys;
  /** Resolves when the workspace has its seed. Until then, no key opens it. Rejects if it cannot be created. */
  readonly ready: Promise<void>;
  /** Resolves when the workspace is ready for calls. Rejects after a close, or if the workspace could not be created. */
  readonly opened = async (): Promise<void> => {
    this.refuseIfClosed();
    await this.ready;
    const conditions = this.sharing.conditions();
    if (conditions === undefined) return;
    await conditions;
    this.refuseIfClosed();
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
  readonly sharing: Sharing;
  readonly #deliveryFaults: DeliveryFaults;
  /** The requests that faults delay. */
  readonly #heldRequests = new HeldRequests();
  readonly #dispatcher: Dispatcher;
  readonly #dependencies: WorkspaceDependencies;
  #seed: WorkspaceSeed;
  readonly #gaps: { -readonly [Name in keyof SpecGaps]: SpecGaps[Name] };
  /** The state of the workspace when it became ready. */
  #beginning: WorkspaceState | undefined;
  /** Resolves when the store has the workspace. */
  readonly #created: Promise<void>;
  /** Why the workspace could not be created. */
  #failure: unknown;
  readonly #deleteRecords: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #unseen: { readonly error: unknown } | undefined;
  #isStopped = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(
    seed: WorkspaceSeed,
    dependencies: WorkspaceDependencies,
    origin: WorkspaceOrigin = { kind: 'seed' },
  ) {
    const { store, machine, newId, randomBytes, createSender, provider, log, changed } = dependencies;
    this.#dependencies = dependencies;
    this.#seed = seed;
    const saved = origin.kind === 'saved' ? origin.saved : undefined;
    this.#gaps = { ...defaultSpecGaps, ...(saved ?? seed).specGaps };
    this.id = seed.workspaceId ?? newId('workspace');
    this.startedAt = origin.kind === 'store' ? 0 : machine.now();
    const onFailure = (error: unknown) =>
      log?.({ type: 'error', time: new Date(this.clock.now()).toISOString(), message: String(error) });
    this.#onFailure = onFailure;
    this.work = new Work(onFailure);
    this.sharing =
      origin.kind === 'store'
        ? new AmongReplicas({
            store: origin.store,
            history: this.history,
            clock: () => this.clock,
            conditions: {
              read: () => conditionsOf(this.#conditioned),
              apply: (conditions) => applyConditions(this.#conditioned, conditions),
            },
            startDue: (work) => this.startDue(work),
            onFailure,
            onGone: () => origin.onGone(this),
            isStopped: () => this.#isStopped,
            refuseIfClosed: () => this.refuseIfClosed(),
          })
        : unshared(this.history, () => this.clock);
    this.clock = new SteerableClock(
      machine === machineClock ? backgroundClock : machine,
      saved?.clock.flow ?? this.#flow,
      () => this.settled(),
      saved === undefined ? this.#start() : timeAt(saved.clock, machine),
      changed,
      this.sharing.time,
    );
    this.#created = origin.kind === 'store' ? origin.added : store.createWorkspace(recordOf(seed, this.id));
    const workspaceStore = origin.kind === 'store' ? origin.store : store.workspace(this.id);
    const logEntry = log && historyLog(log, workspaceStore);
    this.context = {
      store: workspaceStore,
      environment: {
        clock: this.clock,
        deliveryClock: deliveryClock({ machine, workspace: this.clock }, () => this.stamps),
        newId,
        randomBytes,
      },
      work: this.work,
      admissions: origin.kind === 'store' ? origin.store.admissions : new OwnAdmissions(),
      startAt: (time, start) => this.sharing.startAt(time, start),
      receiverAddresses: dependencies.receiverAddresses,
      gaps: this.#gaps,
      record: (entry) => {
        this.sharing.record(entry);
        logEntry?.(entry);
      },
    };
    this.faults = new WorkspaceFaults(seed.randomSeed, seed.faults, changed, this.sharing.rules);
    if (saved !== undefined) this.faults.goOn(saved.faults);
    this.requestFaults = new RequestFaults(this.faults, this.context, this.#heldRequests);
    this.#deliveryFaults = new DeliveryFaults(this.faults, this.context, dependencies.deliveryTimeout);
    this.listeners = new Listeners(this.context, {
      machine,
      timeout: dependencies.deliveryTimeout,
      refusal: origin.kind === 'store' ? noListeners : undefined,
    });
    const attempts = this.#deliveryFaults.around(
      tellingOfTime(
        this.listeners.around(attemptsBy(createSender(), machine, dependencies.deliveryTimeout)),
        {
          machine,
          workspace: this.clock,
          stamps: () => this.stamps,
        },
      ),
    );
    this.#dispatcher = new Dispatcher(this.context, attempts, log);
    this.services = createServices(this.context, this.#dispatcher, provider);
    const taken = origin.kind === 'store' ? undefined : dependencies.taken;
    this.keys = new ApiKeys(store, this.id, newId, taken);
    this.apiKey = seed.apiKey ?? newId('key');
    if (origin.kind === 'store') {
      this.#deleteRecords = () => origin.store.delete();
    } else {
      this.#deleteRecords = () => store.deleteWorkspace(this.id);
      dependencies.taken.add(this.id);
      for (const digest of saved?.apiKeyDigests ?? [digestOfKey(this.apiKey)]) this.keys.reserve(digest);
    }
    this.ready = this.#created.then(() => this.#begin(origin));
    this.ready.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Which clock sets the timestamps of deliveries. */
  get stamps(): DeliveryTimestamps {
    return this.#seed.deliveryTimestamps ?? 'workspace';
  }

  /** The machine's clock. */
  get machine(): Clock {
    return this.#dependencies.machine;
  }

  /** The current `specGaps`. */
  get gaps(): SpecGaps {
    return this.context.gaps;
  }

  /** Whether this process has no running work, requests, waits or watchers in the workspace. */
  get isIdle(): boolean {
    return (
      [this.work, this.requests, this.waits, this.#heldRequests].every(({ isIdle }) => isIdle) &&
      !this.history.isWatched
    );
  }

  /** Resolves when no due work is left, in this process or elsewhere. */
  async settled(): Promise<void> {
    await this.work.settled();
    while (!this.#isStopped && !(await this.sharing.isIdle())) {
      await lookAgainAfter(othersLookedAtEvery);
      await this.work.settled();
    }
  }

  /** Starts work that the store found due. Returns at once. */
  startDue(work: DueWork): void {
    const { journeys, events, transactional } = this.services;
    switch (work.kind) {
      case 'deliveries':
        this.#dispatcher.wake([work.subscriptionId]);
        return;
      case 'journey_run':
        journeys.goOn(work.runId);
        return;
      case 'events':
        events.goOn();
        return;
      case 'sends':
        transactional.goOn();
    }
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
    await this.sharing.time.alone(async () => {
      await this.settled();
      await this.sharing.time.change(() => this.clock.jump(time, flow));
      this.#heldRequests.breakOff();
      this.#deliveryFaults.forget();
      this.#dispatcher.forget();
      await this.context.admissions.clear();
      await this.#resumeFrom(state);
    });
  }

  /** Changes `specGaps`. */
  changeGaps(changes: Partial<SpecGaps>): void {
    const change = () => {
      Object.assign(this.#gaps, changes);
      this.#dependencies.changed();
    };
    change();
    this.sharing.rules.repeat(change);
  }

  /** Lets the next `settled` of this process reject if the latest change of the settings fails, because its caller cannot await it. */
  keepFailure(): void {
    this.sharing.changed().catch((error: unknown) => {
      this.#unseen ??= { error };
    });
  }

  /** @throws The first error of a change that its caller could not await. */
  throwUnseen(): void {
    const unseen = this.#unseen;
    this.#unseen = undefined;
    if (unseen !== undefined) throw unseen.error;
  }

  /** Restores the seed and its initial time. Keeps the keys. */
  async reset(): Promise<void> {
    await this.opened();
    const shared = await this.sharing.readBeginning();
    const beginning = shared === undefined ? this.#beginning : stateFromText(shared.state);
    if (beginning !== undefined) await this.restore(beginning, this.#start(), this.#flow);
    this.changeGaps({ ...defaultSpecGaps, ...this.#seed.specGaps });
    const gapsChanged = this.sharing.changed();
    this.faults.reset(this.#seed.faults);
    await Promise.all([gapsChanged, this.sharing.changed(), this.sharing.clearJournal()]);
  }

  /** Starts no further work. Running work continues, and the records stay. */
  stop(): void {
    this.#isStopped = true;
    this.clock.stop();
    this.waits.end();
    this.listeners.stop();
    this.#heldRequests.end();
    this.#dispatcher.close();
  }

  /** Stops, and also abandons running work, which becomes due again: at once, or after the lease if the store is unreachable. */
  async handBack(): Promise<void> {
    this.stop();
    this.work.close();
    await this.#dispatcher.handBack().catch(this.#onFailure);
  }

  /** Closes the workspace: cancels all waiting work and revokes its keys. If that fails, another call tries again. */
  close(): Promise<void> {
    return this.#end(() => this.#delete());
  }

  /** Stops taking part in a shared workspace. Other replicas continue its work. */
  leave(): Promise<void> {
    return this.#end(async () => {});
  }

  /** @throws Error if the workspace could not be created, or is closed. */
  refuseIfClosed(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#isClosed) return;
    throw new ServiceError('unauthorized', 'This workspace is closed, or its server is. Create another.');
  }

  #end(lastStep: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    this.clock.end(() => this.refuseIfClosed());
    this.#closing ??= this.handBack()
      .then(lastStep)
      .catch((error: unknown) => {
        this.#closing = undefined;
        throw error;
      });
    return this.#closing;
  }

  async #delete(): Promise<void> {
    // The seed must not add records after the deletion.
    await this.ready.catch(() => {});
    // If the store does not have this workspace, another one may have its id.
    const isInStore = await this.#created.then(
      () => true,
      () => false,
    );
    if (isInStore) await this.#deleteRecords();
    this.keys.release();
    this.#dependencies.taken.delete(this.id);
  }

  async #begin(origin: WorkspaceOrigin): Promise<void> {
    switch (origin.kind) {
      case 'seed':
        return this.#fill(this.#seed);
      case 'saved':
        return this.#goOn(origin.saved);
      case 'store':
        return this.#join();
    }
  }

  /** Loads the settings of a workspace that is in a shared store. */
  async #join(): Promise<void> {
    await this.sharing.conditions();
    const beginning = await this.sharing.readBeginning();
    if (beginning === undefined) {
      // It was deleted meanwhile.
      await this.sharing.conditions();
      throw new ServiceError('unauthorized', `The workspace ${this.id} is no longer in the store.`);
    }
    const { workspaceId, apiKey } = this.#seed;
    this.#seed = { ...beginning.settings, workspaceId, apiKey };
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
    this.listeners.resume(state.subscriptions);
    await this.sharing.resume(async () => {
      await this.services.transactional.resume();
      // Resume waiting runs before waiting events: an event begins the runs that it starts.
      await this.services.journeys.resume();
      await this.services.events.resume();
      await this.#dispatcher.resume();
    });
  }

  /** The parts that are the same in every replica of a shared workspace. */
  get #conditioned(): ConditionedParts {
    return { clock: this.clock, gaps: this.#gaps, faults: this.faults };
  }

  /** Whether the clock flows initially. */
  get #flow(): ClockFlow {
    return this.#seed.clock ?? 'flowing';
  }

  #start(): number {
    const { now } = this.#seed;
    return now === undefined ? this.machine.now() : toEpochMilliseconds(now);
  }
}
