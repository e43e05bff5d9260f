import { attemptsBy, attemptsOf } from '../deliveries/attempts.js';
import { createBuiltInReceiver } from '../deliveries/built-in-receiver.js';
import { createDispatcher } from '../deliveries/dispatcher.js';
import { createFetchSender } from '../deliveries/fetch-sender.js';
import { createListeners } from '../deliveries/listeners.js';
import { createDeliveryFaults } from '../faults/delivery-faults.js';
import { createRequestFaults } from '../faults/request-faults.js';
import { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { ChangeKind } from '../model/change.js';
import { failureLog } from '../model/log.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import { defaultSpecGaps, type SpecGaps } from '../model/spec-gaps.js';
import type { WorkspaceContext } from '../service/context.js';
import { createServices } from '../service/services.js';
import type { AdmissionStore } from '../store/shared-store.js';
import type { WorkspaceStore } from '../store/store.js';
import { type ClockFlow, SteerableClock } from '../time/clock.js';
import { backgroundClock, machineClock } from '../time/machine-clock.js';
import { HeldRequests, Work } from '../time/work.js';
import { createApiKeys } from './api-keys.js';
import { History } from './history.js';
import { historyLog } from './history-log.js';
import {
  beginLife,
  type LifeSteps,
  type LiveWorkspace,
  type WorkspaceDependencies,
  type WorkspaceParts,
} from './live-workspace.js';
import type { Sharing } from './sharing/sharing.js';
import { Waits } from './waits.js';

/** The parts that differ between a workspace of one process and one that replicas share. */
export interface Assembly
  extends LifeSteps,
    Pick<WorkspaceParts, 'id' | 'apiKey' | 'startedAt' | 'settings' | 'readInitialState'> {
  readonly store: WorkspaceStore;
  readonly admissions: AdmissionStore;
  /** The initial flow and time of the clock. */
  readonly flow: ClockFlow;
  readonly time: number;
  readonly specGaps: Partial<SpecGaps> | undefined;
  /** The ids and the digests that the workspaces of this process have. Undefined if only the store knows them. */
  readonly taken: Set<string> | undefined;
  /** Why the workspace cannot have listeners. Undefined if it can. */
  readonly noListeners: string | undefined;
  /** Creates the part that shares the workspace with other processes. It may use the parts only later. */
  readonly createSharing: (parts: SharedParts) => Sharing;
}

/** What a workspace shares, and what it hears of other processes. */
interface SharedParts {
  readonly history: History;
  readonly onFailure: (error: unknown) => void;
  /** The whole workspace, when it is assembled. */
  readonly workspace: () => LiveWorkspace;
}

/** Puts a workspace together. */
export function assemble(assembly: Assembly, dependencies: WorkspaceDependencies): LiveWorkspace {
  const { id, apiKey, settings, store, taken } = assembly;
  const { machine, newId, randomBytes, deliveryTimeout, receiverAddresses, log } = dependencies;
  const changed = (kind: ChangeKind) => dependencies.changed({ kind, workspaceId: id });
  const onFailure = failureLog(log, () => clock.now());
  const history = new History();
  const sharing = assembly.createSharing({ history, onFailure, workspace: () => workspace });
  const clock: SteerableClock = new SteerableClock(
    machine === machineClock ? backgroundClock : machine,
    assembly.flow,
    () => workspace.life.settled(),
    assembly.time,
    () => changed('clock'),
    sharing.time,
  );
  const work = new Work(onFailure);
  const gaps = { ...defaultSpecGaps, ...assembly.specGaps };
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
  const { randomSeed, faults: rules } = settings();
  const faults = new WorkspaceFaults(randomSeed, rules, () => changed('faults'), sharing.rules);
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
  const parts: WorkspaceParts = {
    id,
    apiKey,
    machine,
    clock,
    work,
    requests: new Work(() => {}),
    heldRequests,
    waits: new Waits(),
    history,
    startedAt: assembly.startedAt,
    settings,
    readInitialState: assembly.readInitialState,
    deliveryTimestamps,
    gaps,
    faults,
    requestFaults: createRequestFaults(context, faults, heldRequests),
    deliveryFaults,
    context,
    services: createServices(context, dispatcher.wake, dependencies.provider),
    dispatcher,
    listeners,
    receiver,
    keys: createApiKeys(dependencies.store, id, newId, taken),
    sharing,
    changed,
  };
  const life = beginLife(parts, assembly, dependencies.taken, onFailure);
  const workspace: LiveWorkspace = { ...parts, life };
  return workspace;
}
