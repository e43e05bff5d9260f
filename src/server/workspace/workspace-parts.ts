import type { Clock } from '../../foundation/clock.js';
import type { Dispatcher } from '../deliveries/dispatcher.js';
import type { Listeners } from '../deliveries/listeners.js';
import type { Sender } from '../deliveries/sender.js';
import type { DeliveryFaults } from '../faults/delivery-faults.js';
import type { RequestFaults } from '../faults/request-faults.js';
import type { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { DeliveryTimestamps, Environment } from '../model/environment.js';
import type { ServerLog } from '../model/log.js';
import type { WorkspaceState } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Provider } from '../service/provider.js';
import type { Services } from '../service/services.js';
import type { Store } from '../store/store.js';
import type { SteerableClock } from '../time/clock.js';
import type { HeldRequests } from '../time/held-requests.js';
import type { Work } from '../time/work.js';
import type { ApiKeys } from './api-keys.js';
import type { History } from './history.js';
import type { WorkspaceSettings } from './saved-workspace.js';
import type { Sharing } from './sharing/sharing.js';
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
  readonly changed: () => void;
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
  readonly readBeginning: () => Promise<WorkspaceState | undefined>;
  /** Which clock sets the timestamps of deliveries. */
  readonly deliveryTimestamps: () => DeliveryTimestamps;
  /** The current `specGaps`. `changeGaps` changes them. */
  readonly gaps: { -readonly [Name in keyof SpecGaps]: SpecGaps[Name] };
  readonly faults: WorkspaceFaults;
  readonly requestFaults: RequestFaults;
  readonly deliveryFaults: DeliveryFaults;
  readonly context: WorkspaceContext;
  readonly services: Services;
  readonly dispatcher: Dispatcher;
  readonly listeners: Listeners;
  readonly keys: ApiKeys;
  readonly sharing: Sharing;
  /** Called after each change outside the store. */
  readonly changed: () => void;
}
