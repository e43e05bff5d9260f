import type { Clock } from '../../foundation/clock.js';
import { attemptsBy, attemptsOf } from '../deliveries/attempts.js';
import { createBuiltInReceiver } from '../deliveries/built-in-receiver.js';
import { createDispatcher } from '../deliveries/dispatcher.js';
import { createListeners } from '../deliveries/listeners.js';
import { createFetchSender, type Sender } from '../deliveries/sender.js';
import { createDeliveryFaults } from '../faults/delivery-faults.js';
import { createRequestFaults } from '../faults/request-faults.js';
import { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { ChangeKind, TellChange } from '../model/change.js';
import type { Environment } from '../model/environment.js';
import { failureLog, type ServerLog } from '../model/log.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import type { WorkspaceState } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Provider } from '../service/provider.js';
import { createServices } from '../service/services.js';
import type { AdmissionStore } from '../store/shared-store.js';
import type { Store, WorkspaceStore } from '../store/store.js';
import { SteerableClock } from '../time/clock.js';
import { backgroundClock, lookAgainAfter, machineClock } from '../time/machine-clock.js';
import { HeldRequests, Work } from '../time/work.js';
import { createApiKeys } from './api-keys.js';
import { History } from './history.js';
import { historyLog } from './history-log.js';
import type { Sharing } from './sharing/sharing.js';
import { startOf, type WorkspaceSettings } from './state-schema.js';
import { Waits } from './waits.js';

/** The parts that all workspaces of a server share. */
export interface WorkspaceDependencies {
  readonly store: Store;
  /** The ids of all workspaces, and the digests of all keys. Undefined with a shared store, which itself refuses a second use. */
  readonly taken: Set<string> | undefined;
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
  readonly changed: TellChange;
}

/** The parts that differ between a workspace of one process and one that replicas share. */
export interface Assembly {
  readonly id: string;
  /** The initial key of the workspace. A resumed workspace without a given key has an invalid one here. */
  readonly apiKey: string;
  /**
   * When this process started the workspace, by the machine's clock. It identifies the journal, whose numbers restart with the
   * process. 0 if replicas share the journal, because its numbers continue.
   */
  readonly startedAt: number;
  /** The settings that it begins with, and that a reset restores. */
  readonly settings: () => WorkspaceSettings;
  /** Returns the state that a reset restores. Undefined before the workspace is ready. */
  readonly readInitialState: () => Promise<WorkspaceState | undefined>;
  readonly store: WorkspaceStore;
  readonly admissions: AdmissionStore;
  /** Why the workspace cannot have listeners. Undefined if it can. */
  readonly noListeners: string | undefined;
  /** Creates the part that shares the workspace with other processes. The workspace is not complete yet. */
  readonly createSharing: (history: History, onFailure: (error: unknown) => void) => Sharing;
}

/** The parts of a workspace, without its life. */
export type WorkspaceParts = ReturnType<typeof partsOf>;

function partsOf(
  assembly: Assembly,
  dependencies: WorkspaceDependencies,
  settled: () => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  const { id, apiKey, settings, store, startedAt, readInitialState } = assembly;
  const { machine, newId, randomBytes, deliveryTimeout, receiverAddresses, log, taken } = dependencies;
  const changed = (kind: ChangeKind) => dependencies.changed({ kind, workspaceId: id });
  const history = new History();
  const sharing = assembly.createSharing(history, onFailure);
  const initial = settings();
  const clock = new SteerableClock(
    machine === machineClock ? backgroundClock : machine,
    initial.clock ?? 'flowing',
    settled,
    startOf(initial, machine),
    () => changed('clock'),
    sharing.time,
  );
  const work = new Work(onFailure);
  const gaps: SpecGaps = { ...defaultSpecGaps, ...initial.specGaps };
  const deliveryTimestamps = () => settings().deliveryTimestamps ?? 'workspace';
  const clocks = { machine, workspace: clock };
  const logEntry = log && historyLog(log, store);
  const context: WorkspaceContext = {
    store,
    environment: {
      clock,
      // It follows the setting at each call, because a workspace in a shared store loads its settings after its start.
      deliveryClock: {
        now: () => clocks[deliveryTimestamps()].now(),
        setTimer: (callback, delay) => clocks[deliveryTimestamps()].setTimer(callback, delay),
      },
      newId,
      randomBytes,
    },
    work,
    admissions: assembly.admissions,
    startAt: (time, start) => sharing.startAt(time, start),
    receiverAddresses,
    gaps,
    record: (entry) => {
      sharing.record(entry);
      logEntry?.(entry);
    },
  };
  const faults = new WorkspaceFaults(
    initial.randomSeed,
    initial.faults,
    () => changed('faults'),
    sharing.rules,
  );
  const heldRequests = new HeldRequests();
  const deliveryFaults = createDeliveryFaults(context, faults, deliveryTimeout);
  const listeners = createListeners(context, machine, deliveryTimeout, assembly.noListeners);
  const receiver = createBuiltInReceiver(
    async () =>
      (await store.subscriptions.list()).flatMap(({ url, secret }) => (isBuiltInReceiver(url) ? secret : [])),
    machine,
    deliveryTimeout,
  );
  const attempts = attemptsOf(
    deliveryFaults.inject,
    listeners,
    attemptsBy(createFetchSender(receiver.receive, receiverAddresses), machine, deliveryTimeout),
    attemptsBy(dependencies.createSender(), machine, deliveryTimeout),
    { ...clocks, deliveryTimestamps },
  );
  const dispatcher = createDispatcher(context, attempts, log);
  return {
    id,
    apiKey,
    machine,
    clock,
    work,
    /** The requests that this process handles. */
    requests: new Work(() => {}),
    /** The requests that faults delay. */
    heldRequests,
    /** The waits over HTTP. */
    waits: new Waits(),
    history,
    startedAt,
    settings,
    readInitialState,
    /** Which clock sets the timestamps of deliveries. */
    deliveryTimestamps,
    /** The current `specGaps`. `changeSettings` changes them. */
    gaps,
    faults,
    requestFaults: createRequestFaults(context, faults, heldRequests),
    deliveryFaults,
    context,
    services: createServices(context, dispatcher.wake, dependencies.provider),
    dispatcher,
    listeners,
    /** `changeSettings` changes its mode. */
    receiver,
    keys: createApiKeys(dependencies.store, id, newId, taken),
    sharing,
    /** Called after each change outside the store. */
    changed,
  };
}

/** How often to check whether other replicas have finished their work. In milliseconds. */
const othersLookedAtEvery = 10;

/** The steps at the beginning and at the end of a workspace. */
export interface LifeSteps {
  /** Resolves when the store has the workspace. */
  readonly created: Promise<void>;
  /** Fills the workspace, or loads what this process needs of it. */
  readonly begin: (parts: WorkspaceParts) => Promise<void>;
  /** Deletes the workspace from its store. */
  readonly deleteRecords: () => Promise<void>;
}

/**
 * A running workspace: a record of its parts. `own-workspace.ts` assembles that of one process,
 * `shared-workspace.ts` that of the replicas of a service.
 */
export interface LiveWorkspace extends WorkspaceParts {
  readonly life: WorkspaceLife;
}

/** Puts a workspace together, and begins its life. */
export function assemble(assembly: Assembly & LifeSteps, dependencies: WorkspaceDependencies): LiveWorkspace {
  const onFailure = failureLog(dependencies.log, () => parts.clock.now());
  const parts: WorkspaceParts = partsOf(assembly, dependencies, () => life.settled(), onFailure);
  const life: WorkspaceLife = beginLife(parts, assembly, dependencies.taken, onFailure);
  return { ...parts, life };
}

/** The life of a workspace: it begins, settles, stops and closes. */
export type WorkspaceLife = ReturnType<typeof beginLife>;

/** Begins the life of a workspace. `taken` has its id until it is closed. */
export function beginLife(
  parts: WorkspaceParts,
  { created, begin, deleteRecords }: LifeSteps,
  taken: WorkspaceDependencies['taken'],
  onFailure: (error: unknown) => void,
) {
  const { clock, work, sharing, waits, listeners, heldRequests, dispatcher, keys } = parts;
  /** Why the workspace could not be created. */
  let failure: unknown;
  let isStopped = false;
  let isClosed = false;
  let closing: Promise<void> | undefined;
  /** Resolves when the workspace has its seed. Until then, no key opens it. Rejects if it cannot be created. */
  const ready = created.then(() => begin(parts));
  ready.catch((error: unknown) => {
    failure = error;
  });

  /** @throws Error if the workspace could not be created, or is closed. */
  function refuseIfClosed(): void {
    if (failure !== undefined) throw failure;
    if (!isClosed) return;
    throw new ServiceError('unauthorized', 'This workspace is closed, or its server is. Create another.');
  }

  /** Resolves when the workspace is ready for calls. Rejects after a close, or if the workspace could not be created. */
  async function opened(): Promise<void> {
    refuseIfClosed();
    await ready;
    const sharedSettings = sharing.sharedSettings();
    if (sharedSettings === undefined) return;
    await sharedSettings;
    refuseIfClosed();
  }

  /** Resolves when no due work is left, in this process or elsewhere. */
  async function settled(): Promise<void> {
    await work.settled();
    while (!isStopped && !(await sharing.isIdle())) {
      await lookAgainAfter(othersLookedAtEvery);
      await work.settled();
    }
  }

  /** Starts no further work. Running work continues, and the records stay. */
  function stop(): void {
    isStopped = true;
    clock.stop();
    waits.end();
    listeners.stop();
    heldRequests.end();
    dispatcher.close();
  }

  /** Stops, and also abandons running work, which becomes due again: at once, or after the lease if the store is unreachable. */
  async function handBack(): Promise<void> {
    stop();
    work.close();
    await dispatcher.handBack().catch(onFailure);
  }

  function end(lastStep: () => Promise<void>): Promise<void> {
    isClosed = true;
    clock.end(refuseIfClosed);
    closing ??= handBack()
      .then(lastStep)
      .catch((error: unknown) => {
        closing = undefined;
        throw error;
      });
    return closing;
  }

  async function remove(): Promise<void> {
    // The seed must not add records after the deletion.
    await ready.catch(() => {});
    // If the store does not have this workspace, another one may have its id.
    const isInStore = await created.then(
      () => true,
      () => false,
    );
    if (isInStore) await deleteRecords();
    keys.release();
    taken?.delete(parts.id);
  }

  return {
    ready,
    /** Whether this process starts nothing more in the workspace. */
    get isStopped() {
      return isStopped;
    },
    refuseIfClosed,
    opened,
    settled,
    stop,
    handBack,
    /** Closes the workspace: cancels all waiting work and revokes its keys. If that fails, another call tries again. */
    close: () => end(remove),
    /** Stops taking part in a shared workspace. Other replicas continue its work. */
    leave: () => end(async () => {}),
  };
}
