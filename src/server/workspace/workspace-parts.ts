import type { Clock } from '../../foundation/clock.js';
import { attemptsBy, attemptsOf } from '../deliveries/attempts.js';
import { createBuiltInReceiver } from '../deliveries/built-in-receiver.js';
import { Dispatcher } from '../deliveries/dispatcher.js';
import { Listeners } from '../deliveries/listeners.js';
import { createFetchSender, type Sender } from '../deliveries/sender.js';
import { DeliveryFaults } from '../faults/delivery-faults.js';
import { RequestFaults } from '../faults/request-faults.js';
import { WorkspaceFaults } from '../faults/workspace-faults.js';
import type { TellChange } from '../model/change.js';
import type { DeliveryTimestamps, Environment } from '../model/environment.js';
import { failureLog, type ServerLog } from '../model/log.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import type { WorkspaceState } from '../model/records.js';
import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ReceiverAddresses } from '../service/address-policy.js';
import type { WorkspaceContext } from '../service/context.js';
import type { Provider } from '../service/provider.js';
import { createServices, type Services } from '../service/services.js';
import type { AdmissionStore, DueWork, ScheduleStore } from '../store/shared-store.js';
import type { Store, WorkspaceStore } from '../store/store.js';
import { SteerableClock, timeAt } from '../time/clock.js';
import { backgroundClock, machineClock } from '../time/machine-clock.js';
import { HeldRequests, Work } from '../time/work.js';
import { Agenda } from './agenda.js';
import { ApiKeys } from './api-keys.js';
import type { History } from './history.js';
import { historyLog } from './history-log.js';
import type { WorkspaceJournal } from './journal.js';
import { partOf, type SettingsRecord } from './settings.js';
import type { SeedSettings } from './state-schema.js';
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
  readonly stage: Stage;
}

/** What a workspace gets of its server to write programs, and to try them out. */
export interface Stage {
  /** Creates another server in this process. Its deliveries go to `fetch`. */
  open(options: StageOptions): object & AsyncDisposable;
  /** Returns the route of an operation of the control surface. */
  route(operation: string): Promise<ControlRoute | undefined>;
}

export interface StageOptions {
  readonly seed: WorkspaceSeed;
  readonly receiverAddresses: ReceiverAddresses;
  readonly fetch: (url: unknown) => Promise<Response>;
}

/** The method and the path of an operation of the control surface. */
export interface ControlRoute {
  readonly method: string;
  readonly path: string;
}

/** Where a workspace has what it has: in this process, or in a store that replicas share. */
export interface WorkspaceStores {
  readonly records: WorkspaceStore;
  readonly settings: SettingsRecord;
  readonly journal: WorkspaceJournal;
  readonly schedule: ScheduleStore;
  readonly admissions: AdmissionStore;
}

/** The steps at the beginning and at the end of a workspace. */
export interface LifeSteps {
  /** Resolves when the store has the workspace. */
  readonly created: Promise<void>;
  /** Fills the workspace, or loads what this process needs of it. */
  readonly begin: (parts: WorkspaceParts) => Promise<void>;
  /** Deletes the workspace from its store. */
  readonly deleteRecords: () => Promise<void>;
}

/** What a workspace is assembled from. `own-workspace.ts` and `shared-workspace.ts` differ in the stores, and in how it begins. */
export interface Assembly extends LifeSteps {
  readonly id: string;
  /** The initial key of the workspace. A resumed workspace without a given key has an invalid one here. */
  readonly apiKey: string;
  /**
   * When this process started the workspace, by the machine's clock. It identifies the journal, whose numbers restart with the
   * process. 0 if replicas share the journal, because its numbers continue.
   */
  readonly startedAt: number;
  /** The settings of the seed, which a reset restores. */
  readonly seeded: () => SeedSettings;
  /** Returns the state that a reset restores. Undefined before the workspace is ready. */
  readonly readInitialState: () => Promise<WorkspaceState | undefined>;
  /** Why the workspace cannot have listeners. Undefined if it can. */
  readonly noListeners: string | undefined;
  readonly stores: WorkspaceStores;
}

/** The work of a workspace, and its clock. */
interface TimedParts {
  readonly onFailure: (error: unknown) => void;
  readonly work: Work;
  readonly agenda: Agenda;
  readonly clock: SteerableClock;
}

/** The faults of a workspace, and what makes its deliveries. */
interface DeliveringParts {
  readonly faults: WorkspaceFaults;
  /** The requests that faults delay. */
  readonly heldRequests: HeldRequests;
  readonly requestFaults: RequestFaults;
  readonly deliveryFaults: DeliveryFaults;
  readonly listeners: Listeners;
  readonly dispatcher: Dispatcher;
  /** Which clock sets the timestamps of deliveries. */
  readonly deliveryTimestamps: () => DeliveryTimestamps;
}

/** The parts of a workspace, without its life. */
export interface WorkspaceParts
  extends TimedParts,
    DeliveringParts,
    Pick<Assembly, 'id' | 'apiKey' | 'startedAt' | 'seeded' | 'readInitialState'>,
    Pick<WorkspaceStores, 'settings' | 'journal' | 'schedule'> {
  readonly machine: Clock;
  /** The entries of the journal that this process has. */
  readonly history: History;
  readonly context: WorkspaceContext;
  readonly services: Services;
  readonly keys: ApiKeys;
  /** The requests that this process handles. */
  readonly requests: Work;
  readonly stage: Stage;
  /** The waits over HTTP. */
  readonly waits: Waits;
  /** Gives the id and the keys of the deleted workspace free. */
  readonly release: () => void;
}

/** Builds the parts of a workspace, each from those before it. */
export function partsOf(assembly: Assembly, dependencies: WorkspaceDependencies): WorkspaceParts {
  const { id, apiKey, seeded, startedAt, readInitialState, stores } = assembly;
  const { machine, newId, taken, stage } = dependencies;
  const timed = timedPartsOf(assembly, dependencies);
  const context = contextOf(assembly, dependencies, timed);
  const delivering = deliveringPartsOf(assembly, dependencies, timed, context);
  const { dispatcher } = delivering;
  const services = createServices(context, (ids) => dispatcher.wake(ids), dependencies.provider);
  timed.agenda.onDue((work) => startDue(services, dispatcher, work));
  const keys = new ApiKeys(dependencies.store, id, newId, taken);
  return {
    id,
    apiKey,
    machine,
    startedAt,
    seeded,
    readInitialState,
    settings: stores.settings,
    journal: stores.journal,
    history: stores.journal.history,
    schedule: stores.schedule,
    ...timed,
    context,
    ...delivering,
    services,
    keys,
    requests: new Work(() => {}),
    stage,
    waits: new Waits(),
    release() {
      keys.release();
      taken?.delete(id);
    },
  };
}

function timedPartsOf(
  { id, created, stores }: Assembly,
  { machine, log, changed }: WorkspaceDependencies,
): TimedParts {
  const { settings, journal, schedule } = stores;
  const onFailure = failureLog(log, () => timeAt(settings.now.clock, machine));
  const work = new Work(onFailure);
  const agenda = new Agenda({ created, schedule, work, settings, journal, machine });
  const source = machine === machineClock ? backgroundClock : machine;
  const clock = new SteerableClock(source, partOf(settings, 'clock'), agenda);
  settings.watch((kinds) => {
    if (kinds.includes('clock')) clock.follow();
    for (const kind of kinds) changed({ kind, workspaceId: id });
  });
  return { onFailure, work, agenda, clock };
}

/** What the rules of a workspace work with. */
function contextOf(
  { seeded, stores }: Assembly,
  { machine, newId, randomBytes, receiverAddresses, log }: WorkspaceDependencies,
  { work, clock }: TimedParts,
): WorkspaceContext {
  const { records: store, settings, journal, schedule, admissions } = stores;
  const clocks = { machine, workspace: clock };
  const deliveryClock = () => clocks[seeded().deliveryTimestamps ?? 'workspace'];
  const logEntry = log && historyLog(log, store);
  return {
    store,
    environment: {
      clock,
      // It follows the seed at each call, because a workspace in a shared store loads its seed after its start.
      deliveryClock: {
        now: () => deliveryClock().now(),
        setTimer: (callback, delay) => deliveryClock().setTimer(callback, delay),
      },
      newId,
      randomBytes,
    },
    work,
    admissions,
    startAt: (time, start) => {
      if (!schedule.reportsDueWork) clock.setTimer(start, Math.max(0, time - clock.now()));
    },
    receiverAddresses,
    gaps: () => settings.now.specGaps,
    record: (entry) => {
      journal.record(entry);
      logEntry?.(entry);
    },
  };
}

function deliveringPartsOf(
  { seeded, stores, noListeners }: Assembly,
  { machine, deliveryTimeout, receiverAddresses, createSender, log }: WorkspaceDependencies,
  { clock }: TimedParts,
  context: WorkspaceContext,
): DeliveringParts {
  const { settings, records } = stores;
  const faults = new WorkspaceFaults(partOf(settings, 'faults'));
  const heldRequests = new HeldRequests();
  const deliveryFaults = new DeliveryFaults(context, faults, deliveryTimeout);
  const listeners = new Listeners(context, machine, deliveryTimeout, noListeners);
  const builtInReceiver = createBuiltInReceiver(
    () => settings.now.receiver,
    async () => {
      const all = await records.subscriptions.list();
      return all.flatMap(({ url, secret }) => (isBuiltInReceiver(url) ? secret : []));
    },
    machine,
    deliveryTimeout,
  );
  const deliveryTimestamps = () => seeded().deliveryTimestamps ?? 'workspace';
  const attempts = attemptsOf(
    (attempt, send) => deliveryFaults.inject(attempt, send),
    listeners,
    attemptsBy(createFetchSender(builtInReceiver, receiverAddresses), machine, deliveryTimeout),
    attemptsBy(createSender(), machine, deliveryTimeout),
    { machine, workspace: clock, deliveryTimestamps },
  );
  return {
    faults,
    heldRequests,
    requestFaults: new RequestFaults(context, faults, heldRequests),
    deliveryFaults,
    listeners,
    dispatcher: new Dispatcher(context, attempts, log),
    deliveryTimestamps,
  };
}

/** Starts work that is due. Returns at once. */
function startDue(
  { journeys, events, transactional }: Services,
  dispatcher: Dispatcher,
  work: DueWork,
): void {
  switch (work.kind) {
    case 'deliveries':
      dispatcher.wake([work.subscriptionId]);
      return;
    case 'journey_run':
      journeys.startStep(work.runId);
      return;
    case 'events':
      events.startProcessing();
      return;
    case 'sends':
      transactional.startSettling();
  }
}
