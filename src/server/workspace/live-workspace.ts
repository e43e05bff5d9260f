import type { Clock } from '../../foundation/clock.js';
import type { BuiltInReceiver } from '../deliveries/built-in-receiver.js';
import type { Dispatcher } from '../deliveries/dispatcher.js';
import type { Listeners } from '../deliveries/listeners.js';
import type { Sender } from '../deliveries/sender.js';
import type { DeliveryFaults } from '../faults/delivery-faults.js';
import type { RequestFaults } from '../faults/request-faults.js';
import type { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { ChangeKind, TellChange } from '../model/change.js';
import type { DeliveryTimestamps, Environment } from '../model/environment.js';
import type { ServerLog } from '../model/log.js';
import type { WorkspaceState } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Provider } from '../service/provider.js';
import type { Services } from '../service/services.js';
import type { Store } from '../store/store.js';
import type { SteerableClock } from '../time/clock.js';
import { lookAgainAfter } from '../time/machine-clock.js';
import type { HeldRequests, Work } from '../time/work.js';
import type { ApiKeys } from './api-keys.js';
import type { History } from './history.js';
import type { Sharing } from './sharing/sharing.js';
import type { WorkspaceSettings } from './state-schema.js';
import type { Waits } from './waits.js';

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
  readonly changed: TellChange;
}

/** The parts of a workspace, without its life. */
export interface WorkspaceParts {
  readonly id: string;
  /** The initial key of the workspace. A resumed workspace without a given key has an invalid one here. */
  readonly apiKey: string;
  readonly machine: Clock;
  readonly clock: SteerableClock;
  readonly work: Work;
  /** The requests that this process handles. */
  readonly requests: Work;
  /** The requests that faults delay. */
  readonly heldRequests: HeldRequests;
  /** The waits over HTTP. */
  readonly waits: Waits;
  readonly history: History;
  /**
   * When this process started the workspace, by the machine's clock. It identifies the journal, whose numbers restart with the
   * process. 0 if replicas share the journal, because its numbers continue.
   */
  readonly startedAt: number;
  /** The settings that a reset restores. */
  readonly settings: () => WorkspaceSettings;
  /** Returns the state that a reset restores. Undefined before the workspace is ready. */
  readonly readInitialState: () => Promise<WorkspaceState | undefined>;
  /** Which clock sets the timestamps of deliveries. */
  readonly deliveryTimestamps: () => DeliveryTimestamps;
  /** The current `specGaps`. `changeSettings` changes them. */
  readonly gaps: { -readonly [Name in keyof SpecGaps]: SpecGaps[Name] };
  readonly faults: WorkspaceFaults;
  readonly requestFaults: RequestFaults;
  readonly deliveryFaults: DeliveryFaults;
  readonly context: WorkspaceContext;
  readonly services: Services;
  readonly dispatcher: Dispatcher;
  readonly listeners: Listeners;
  /** `changeSettings` changes its mode. */
  readonly receiver: BuiltInReceiver;
  readonly keys: ApiKeys;
  readonly sharing: Sharing;
  /** Called after each change outside the store. */
  readonly changed: (kind: ChangeKind) => void;
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
 * A running workspace: a record of its parts. One of two assemblers puts it together: `own-workspace.ts` for one process,
 * `shared-workspace.ts` for the replicas of a service.
 */
export interface LiveWorkspace extends WorkspaceParts {
  readonly life: WorkspaceLife;
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
    taken.delete(parts.id);
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
