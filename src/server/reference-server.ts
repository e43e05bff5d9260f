import type { Server } from 'node:http';
import { deliveryTimeout } from '../contract/delivery.js';
import type { Bytes } from '../foundation/bytes.js';
import { atMost, type Clock } from '../foundation/clock.js';
import type { FetchFunction } from '../foundation/fetch-function.js';
import { aText, checkOptionsOfCall, type OptionCheck } from '../foundation/options.js';
import { probe } from '../foundation/runtime.js';
import { NodeSender } from './deliveries/node-sender.js';
import { createFetchSender, type Sender } from './deliveries/sender.js';
import { serveApi } from './http/api-routes.js';
import { Application, apiPrefix } from './http/application.js';
import { fromRequest, toResponse } from './http/fetch-edge.js';
import { ServerMetrics, serveMetrics } from './http/metrics/server-metrics.js';
import { type ListenOptions, listen, stopListening } from './http/node-edge.js';
import { serveOpenly } from './http/open-routes.js';
import { Cors, HostCheck } from './http/other-origins.js';
import { ChangeSignal } from './model/change.js';
import { randomId, secureRandomBytes } from './model/environment.js';
import { harmless } from './model/log.js';
import { type ReferenceServerOptions, seedOf } from './options.js';
import { withServerDefaults } from './seed/parse-seed.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';
import type { ReceiverAddresses } from './service/address-policy.js';
import { simulatedProvider } from './service/provider.js';
import { failedTestIn, parseServerState, resumeFrom, type ServerState } from './state/server-state.js';
import { MemoryStore } from './store/memory/memory-store.js';
import { isSharedStore, type SharedStore } from './store/shared-store.js';
import { ReferenceWorkspace, type Workspace, type WorkspaceHost } from './subjects/reference-workspace.js';
import { controlPrefix } from './subjects/surface.js';
import { listingsOf, type ServerWorkspaces } from './subjects/workspaces.js';
import { toMilliseconds } from './time/duration.js';
import { machineClock, soon } from './time/machine-clock.js';
import { Work } from './time/work.js';
import { digestOfKey } from './workspace/api-keys.js';
import type { LiveWorkspace } from './workspace/live-workspace.js';
import { saveMoment, saveWorkspace } from './workspace/own-workspace.js';
import { SharedWorkspaces } from './workspace/shared/shared-workspaces.js';
import type { Stage, WorkspaceDependencies } from './workspace/workspace-parts.js';
import { Workspaces } from './workspace/workspaces.js';

/**
 * Creates a reference server: an implementation of the service in this process. It serves all endpoints under `/api/v1` and
 * sends signed webhook deliveries.
 *
 * @param options Options of the server, and the seed of its first workspace.
 * @throws ConfigurationError that names each invalid option.
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] });
 * const { baseUrl } = await server.listen({ port: 0 });
 *
 * const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });
 * const contact = await messaging.contacts.upsert({ phone: '+15551234567' });
 * console.log(contact.id);
 * ```
 */
export function createReferenceServer(options: ReferenceServerOptions = {}): ReferenceServer {
  return new ReferenceServer(partsOf(options), undefined);
}

/**
 * Creates a reference server whose clients have the types and the checks of a workspace, like a client with the option `workspace`. The
 * server itself accepts the same as without it.
 *
 * @param workspace The result of `defineWorkspace`. With `undefined`, the same as `createReferenceServer`.
 * @param options Options of the server, and the seed of its first workspace.
 * @throws ConfigurationError that names each invalid option.
 * @example
 * ```ts
 * import { defineWorkspace } from 'messaging-automation';
 * import { createTypedReferenceServer } from 'messaging-automation/server';
 *
 * const workspace = defineWorkspace({ templates: { welcome: { id: 'welcome_2', variables: ['firstName'] } } });
 * await using server = createTypedReferenceServer(workspace, {
 *   templates: [{ id: 'welcome_2', body: 'Welcome, {{1}}!' }],
 *   contacts: [{ phone: '+15551234567' }],
 * });
 * await server.client.transactional.send({
 *   phone: '+15551234567',
 *   template: 'welcome',
 *   variables: { firstName: 'Ada' },
 * });
 * ```
 */
export function createTypedReferenceServer<W extends Workspace>(
  workspace: W | undefined,
  options: ReferenceServerOptions = {},
): ReferenceServer<W> {
  // Another function, because the type of a generic one depends on its options, which may refer to the server: its `fetch`, for example.
  return new ReferenceServer(partsOf(options), workspace);
}

/**
 * A running reference server. `createReferenceServer` creates it. The server object is also its first workspace: `apiKey`,
 * `client`, `clock` and the other members of `ReferenceWorkspace` belong to that workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
 *
 * const server: ReferenceServer = createReferenceServer();
 * const response = await server.fetch('http://localhost/api/v1/templates', {
 *   headers: { Authorization: `Bearer ${server.apiKey}` },
 * });
 * console.log(response.status); // 200
 * await server.close();
 * ```
 */
export class ReferenceServer<W extends Workspace = Workspace> extends ReferenceWorkspace<W> {
  readonly #parts: Parts;
  /** Lists the workspaces of the server. */
  readonly workspaces: ServerWorkspaces;
  #listening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(parts: Parts, definition: W | undefined) {
    super(parts.first, parts.host, definition);
    this.#parts = parts;
    this.workspaces = { list: async () => listingsOf(await parts.workspaces.all(), parts.first.id) };
  }

  /**
   * Creates another workspace with its own key, which gives no access to other workspaces. Default `clock`,
   * `deliveryTimestamps` and `specGaps`: those of the server.
   *
   * @throws ConfigurationError if the seed is invalid, or another workspace has the same id or key. Error if the server is closed.
   */
  workspace(seed: WorkspaceSeed = {}): ReferenceWorkspace<W> {
    this.#parts.workspaces.refuseIfClosed('workspace()');
    const live = this.#parts.workspaces.create(withServerDefaults(this.#parts.defaults, seed), 'caller');
    return new ReferenceWorkspace(live, this.#parts.host, this.client.workspace);
  }

  /**
   * Handles a request without a socket, and takes what `fetch` takes. The path of an endpoint begins with `/api/v1`. The server
   * ignores the host. You can pass it on as a function, for example as the option `fetch` of a client.
   */
  readonly fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    // A request of another realm is not an instance of this realm's Request.
    this.#parts.host.fetch(
      typeof input === 'object' && 'url' in input && init === undefined ? input : new Request(input, init),
    );

  /**
   * Starts to listen on a socket.
   *
   * @returns `url`, and the `baseUrl` for clients, which ends in `/api`.
   * @throws ConfigurationError if an option is invalid. Error if the server already listens, is closed, or cannot use the address.
   */
  async listen(options: ListenOptions = {}): Promise<{ readonly url: string; readonly baseUrl: string }> {
    checkOptionsOfCall('listen', options, { port: aPort, host: aText });
    if (this.#closing !== undefined) {
      throw new Error('listen() failed: this reference server is closed. Create another server.');
    }
    if (this.#listening !== undefined) {
      throw new Error(
        'listen() failed: this reference server already listens. Create another server for another address.',
      );
    }
    const { workspaces, application, machine } = this.#parts;
    this.#listening = workspaces.ready().then(() => listen(application, machine, options));
    try {
      const { url } = await this.#listening;
      return { url, baseUrl: url + apiPrefix };
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  /**
   * Returns the state of the server as plain data that JSON can represent. Pass it to `createReferenceServer` as `state` to
   * resume. `state()` does not wait for running work. The resumed server starts that work again.
   *
   * @throws Error if the server has a shared store.
   */
  state(): Promise<ServerState> {
    return this.#parts.host.state(this.#parts.first);
  }

  /**
   * Calls `callback` after each change of `state()`, and sometimes without one. The passage of time alone is not a change.
   *
   * @returns A function that stops the calls.
   */
  onChange(callback: () => void): () => void {
    return this.#parts.changes.watch(() => callback());
  }

  /** Resolves when no workspace has due work left. */
  override async settled(): Promise<void> {
    const { workspaces } = this.#parts;
    await workspaces.ready();
    await workspaces.settled();
  }

  /**
   * Closes the server: frees the port, starts no further work, and waits up to `shutdownGrace` for running work. After that
   * it abandons the work: a running delivery attempt does not count, and its delivery stays pending. Waits end with an error, and
   * all workspaces refuse further calls, as after their own `close`. You can still call `find` on `sends`, `events`, `deliveries` and
   * `journal`, and `state`.
   */
  override close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    const { workspaces, requests, machine, shutdownGrace } = this.#parts;
    workspaces.stop();
    const server = (await this.#listening?.catch(() => undefined))?.server;
    const connectionsEnded = server && stopListening(server);
    const finished = Promise.all([connectionsEnded, requests.settled()]).then(() => workspaces.settled());
    // Work that fails because the store is unreachable is handed back below.
    await atMost(
      machine,
      shutdownGrace,
      finished.catch(() => {}),
      () => {},
    );
    server?.closeAllConnections();
    await connectionsEnded;
    await workspaces.leave(shutdownGrace);
  }
}

/** The functions of the server that its workspaces use. */
interface ServerHost extends WorkspaceHost {
  readonly state: (workspace: LiveWorkspace, entries?: number) => Promise<ServerState>;
}

/** The parts of a server. */
interface Parts {
  readonly workspaces: Workspaces;
  /** The server's own workspace. */
  readonly first: LiveWorkspace;
  /** The defaults of further workspaces. */
  readonly defaults: ServerState['defaults'];
  readonly changes: ChangeSignal;
  readonly machine: Clock;
  readonly application: Application;
  /** The running requests without a socket. */
  readonly requests: Work;
  readonly host: ServerHost;
  /** How long `close()` waits for running work. In milliseconds. */
  readonly shutdownGrace: number;
}

/** Puts the parts of a server together, each from those before it. */
function partsOf(options: ReferenceServerOptions): Parts {
  const seed = seedOf(options);
  const store = isSharedStore(options.store) ? options.store : undefined;
  const systemClock = options.systemClock ?? machineClock;
  // Replicas share the time of their store, because the clocks of their machines may differ.
  const machine = store?.timeBy(systemClock) ?? systemClock;
  const metrics = options.metrics ? new ServerMetrics(options.systemClock) : undefined;
  const changes = new ChangeSignal();
  const dependencies = dependenciesOf(options, store, machine, metrics, changes);
  const shared =
    store && new SharedWorkspaces({ store, dependencies, createDraftStore: () => new MemoryStore() });
  const workspaces = new Workspaces(dependencies, shared);
  const state = options.state && parseServerState(options.state);
  const first =
    state === undefined
      ? workspaces.createFirst(shared === undefined ? seed : { workspaceId: sharedWorkspaceId, ...seed })
      : resumeFrom(state, seed.apiKey ?? dependencies.newId('key'), workspaces);
  const { clock, deliveryTimestamps, specGaps } = seed;
  const defaults: ServerState['defaults'] = state?.defaults ?? { clock, deliveryTimestamps, specGaps };
  const application = applicationOf(options, dependencies, metrics, workspaces, first);
  serveApi(application);
  serveOpenly(application, store);
  if (metrics !== undefined) serveMetrics(application, metrics, store);
  addLaterRoutes(application, options, { workspaces, first, defaults, changes, dependencies });
  const requests = new Work(() => {});
  const host: ServerHost = {
    fetch: (request) =>
      requests.during(async () => {
        workspaces.refuseIfClosed('fetch()');
        await workspaces.ready();
        return toResponse(await application.respond(fromRequest(request)), request);
      }),
    remove: (workspace) => workspaces.remove(workspace),
    state: async (workspace, entries) => {
      if (store === undefined) return stateOf({ workspaces, first, defaults }, workspace, entries);
      throw new Error(
        'state() failed: this reference server keeps its state in a store. Back up its database instead.',
      );
    },
  };
  const shutdownGrace = toMilliseconds(options.shutdownGrace ?? defaultShutdownGrace);
  return { first, defaults, changes, machine, requests, workspaces, application, host, shutdownGrace };
}

/** What all workspaces of a server share. */
function dependenciesOf(
  options: ReferenceServerOptions,
  store: SharedStore | undefined,
  machine: Clock,
  metrics: ServerMetrics | undefined,
  changes: ChangeSignal,
): WorkspaceDependencies {
  const ownLog = options.log && harmless(options.log);
  const receiverAddresses = options.receiverAddresses ?? 'loopback';
  return {
    store: store?.records ?? new MemoryStore({ changed: changes.tell }),
    taken: store === undefined ? new Set() : undefined,
    machine,
    newId: options.newId ?? randomId,
    randomBytes: options.randomBytes ?? secureRandomBytes,
    createSender: () => createSender(options, receiverAddresses),
    // By the machine's clock, not the workspace's, because it limits a real HTTP exchange.
    deliveryTimeout: toMilliseconds(options.deliveryTimeout ?? deliveryTimeout),
    receiverAddresses,
    provider: simulatedProvider,
    log: metrics === undefined ? ownLog : metrics.logging(ownLog),
    changed: changes.tell,
    stage,
  };
}

/** Where a workspace tries out the programs that it writes. */
const stage: Stage = {
  open: ({ seed, ...options }) => createReferenceServer({ ...seed, ...options }),
  // Loaded on demand, because most tests never use it.
  route: async (operation) =>
    (await import('./subjects/control-operations.js')).controlOperationList.find(
      ({ name }) => name === operation,
    ),
};

/** The HTTP layer of a server, without routes. */
function applicationOf(
  options: ReferenceServerOptions,
  { newId, log }: WorkspaceDependencies,
  metrics: ServerMetrics | undefined,
  workspaces: Workspaces,
  first: LiveWorkspace,
): Application {
  return new Application({
    openWorkspace: (apiKey) => workspaces.open(apiKey),
    apiKeys: () => workspaces.list().map(({ apiKey }) => apiKey),
    clock: first.clock,
    newId,
    log,
    observe: metrics?.observe,
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    gaps: () => first.settings.now.specGaps,
    cors: options.cors && new Cors(options.cors),
    hosts: options.workbench ? new HostCheck(options.allowedHosts ?? []) : undefined,
  });
}

/** Adds the routes that are loaded on demand, because most tests never use them. */
function addLaterRoutes(
  application: Application,
  options: ReferenceServerOptions,
  {
    workspaces,
    first,
    defaults,
    changes,
    dependencies,
  }: Pick<Parts, 'workspaces' | 'first' | 'defaults' | 'changes'> & {
    readonly dependencies: WorkspaceDependencies;
  },
): void {
  application.addLater([controlPrefix], async () => {
    const { serveControl } = await import('./http/control/control-routes.js');
    serveControl(application, {
      first,
      create: (another) => workspaces.create(withServerDefaults(defaults, another), 'requests'),
      all: () => workspaces.all(),
      remove: (id) => workspaces.removeById(id),
      watchChanges: (changed) => changes.watch(changed),
      failedTest: options.state && failedTestIn(options.state),
    });
  });
  if (!options.workbench) return;
  application.addLater(['/', '/workbench'], async () => {
    const { servePage } = await import('./http/page/page-routes.js');
    await servePage(application, dependencies.randomBytes);
  });
}

/**
 * Returns the state of a server without a shared store.
 *
 * @param workspace - The first workspace, for all of them, or another one, for it alone.
 * @param entries - How many of the latest entries of the journal are in it. Default: none, and due work stays due.
 */
async function stateOf(
  { workspaces, first, defaults }: Pick<Parts, 'workspaces' | 'first' | 'defaults'>,
  workspace: LiveWorkspace,
  entries?: number,
): Promise<ServerState> {
  await workspaces.ready();
  // Between two turns of the event loop, no rule is in the middle of its work.
  await new Promise<void>(soon);
  const chosen = workspaces.list().filter((each) => workspace === first || each === workspace);
  const save = (each: LiveWorkspace) =>
    entries === undefined ? saveWorkspace(each) : saveMoment(each, entries);
  const [ours, ...others] = await Promise.all(chosen.map(save));
  if (ours === undefined) throw new Error('The workspace is closed.');
  return {
    version: 2,
    apiKeyDigest: digestOfKey(workspace.apiKey),
    defaults,
    workspaces: [ours, ...others],
  };
}

const aPort: OptionCheck = [
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  'a port, from 0 to 65535',
];

/** The id of the first workspace in a shared store. It is the same for every replica. */
const sharedWorkspaceId = 'workspace_shared';

/** In milliseconds. */
const defaultShutdownGrace = 1_000;

/** Uses Node's HTTP in Node, else fetch. A Cloudflare worker has some of Node's modules, but no sockets. */
function createSender({ fetch }: ReferenceServerOptions, receiverAddresses: ReceiverAddresses): Sender {
  const inWorker = probe('navigator', 'userAgent') === 'Cloudflare-Workers';
  const inNode = typeof probe('process', 'versions', 'node') === 'string' && !inWorker;
  return fetch === undefined && inNode
    ? new NodeSender(receiverAddresses)
    : createFetchSender(fetch ?? currentFetch, receiverAddresses);
}

/** Looks up `fetch` at each call, because an interceptor such as MSW may start after the server. */
const currentFetch: FetchFunction<Bytes> = (url, init) => globalThis.fetch(url, init);
