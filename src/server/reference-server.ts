import type { Server } from 'node:http';
import { deliveryTimeout } from '../contract/delivery.js';
import type { Clock } from '../foundation/clock.js';
import { seedOf } from './check-options.js';
import { FetchSender } from './deliveries/fetch-sender.js';
import { NodeSender } from './deliveries/node-sender.js';
import type { Sender } from './deliveries/sender.js';
import { ReferenceWorkspace, type WorkspaceHost } from './hands/reference-workspace.js';
import { serveApi } from './http/api-routes.js';
import { Application, apiPrefix } from './http/application.js';
import { serveControl } from './http/control/control-routes.js';
import { Cors } from './http/cors.js';
import { fromRequest, toResponse } from './http/fetch-edge.js';
import { type ListenOptions, listen, stopListening } from './http/listener.js';
import { serveOpenly } from './http/open-routes.js';
import { randomId, secureRandomBytes } from './model/environment.js';
import { harmless } from './model/log.js';
import type { ReferenceServerOptions } from './options.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';
import type { ReceiverAddresses } from './service/address-policy.js';
import { simulatedProvider } from './service/simulated-provider.js';
import { ChangeSignal } from './state/change-signal.js';
import { parseServerState } from './state/parse-server-state.js';
import { goOnFrom, inState } from './state/saved-workspaces.js';
import type { ServerState } from './state/server-state.js';
import { MemoryStore } from './store/memory/memory-store.js';
import { observedStore } from './store/observed-store.js';
import { atMost } from './time/at-most.js';
import { toMilliseconds } from './time/duration.js';
import { machineClock } from './time/machine-clock.js';
import { Work } from './time/work.js';
import { digestOfKey } from './workspace/key-digest.js';
import { withServerDefaults } from './workspace/server-defaults.js';
import { Workspaces } from './workspace/workspaces.js';

/**
 * The whole service in this process: all endpoints under `/api/v1`, and real signed deliveries.
 *
 * @param options How the server is to be, and what its workspace begins with. All of it may be left out.
 * @throws TypeError where an option is not right; it names each.
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
  const seed = seedOf(options);
  const machine = options.systemClock ?? machineClock;
  const log = options.log && harmless(options.log);
  const newId = options.newId ?? randomId;
  // The deadline of an attempt is the machine's time, never the test's: it bounds a real exchange.
  const timeout = toMilliseconds(options.deliveryTimeout ?? deliveryTimeout);
  const receiverAddresses = options.receiverAddresses ?? 'loopback';
  const changes = new ChangeSignal();
  const workspaces = new Workspaces({
    store: observedStore(new MemoryStore(), changes.tell),
    taken: new Set(),
    machine,
    newId,
    randomBytes: options.randomBytes ?? secureRandomBytes,
    createSender: () => createSender(options, machine, timeout, receiverAddresses),
    receiverAddresses,
    provider: simulatedProvider,
    log,
    changed: changes.tell,
  });
  const state = options.state && parseServerState(options.state);
  const first =
    state === undefined ? workspaces.create(seed) : goOnFrom(state, seed.apiKey ?? newId('key'), workspaces);
  const { clock, deliveryTimestamps, specGaps } = seed;
  const defaults = state?.defaults ?? { clock, deliveryTimestamps, specGaps };
  const application = new Application({
    openWorkspace: (apiKey) => workspaces.open(apiKey),
    apiKeys: () => workspaces.list().map(({ apiKey }) => apiKey),
    clock: first.clock,
    newId,
    log,
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    gaps: first.gaps,
    cors: options.cors && new Cors(options.cors),
  });
  serveApi(application);
  serveOpenly(application);
  serveControl(application, {
    first,
    create: (another) => workspaces.create(withServerDefaults(defaults, another)),
    remove: (id) => workspaces.removeById(id),
  });
  const requests = new Work(() => {});
  const host: WorkspaceHost = {
    fetch: (request) =>
      requests.during(async () => {
        await workspaces.ready();
        return toResponse(await application.answer(fromRequest(request)), request);
      }),
    remove: (workspace) => workspaces.remove(workspace),
  };
  const shutdownGrace = toMilliseconds(options.shutdownGrace ?? defaultShutdownGrace);
  return new ReferenceServer({
    defaults,
    changes,
    machine,
    requests,
    workspaces,
    application,
    host,
    shutdownGrace,
  });
}

/** What a reference server is put together from. */
interface Parts {
  /** What workspaces beside the first take after. */
  readonly defaults: ServerState['defaults'];
  readonly changes: ChangeSignal;
  readonly machine: Clock;
  /** The requests that are being answered without a socket. */
  readonly requests: Work;
  readonly workspaces: Workspaces;
  readonly application: Application;
  readonly host: WorkspaceHost;
  /** How long what is under way may take to finish when the server is closed. In milliseconds. */
  readonly shutdownGrace: number;
}

/**
 * A running reference server; `createReferenceServer` makes one. It is also its first workspace: `apiKey`, `client`,
 * `clock` and the rest are that workspace's.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
 *
 * const server: ReferenceServer = createReferenceServer();
 * const response = await server.fetch(
 *   new Request('http://localhost/api/v1/templates', { headers: { Authorization: `Bearer ${server.apiKey}` } }),
 * );
 * console.log(response.status); // 200
 * await server.close();
 * ```
 */
export class ReferenceServer extends ReferenceWorkspace {
  readonly #parts: Parts;
  #listening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(parts: Parts) {
    const [first] = parts.workspaces.list();
    if (first === undefined) throw new Error('A reference server begins with a workspace.');
    super(first, parts.host);
    this.#parts = parts;
  }

  /**
   * Makes another workspace: its key sees nothing of the others. Its clock and its `specGaps` are as the server's unless
   * told.
   *
   * @throws TypeError where the seed is not right, or names an id or a key that another workspace has.
   */
  workspace(seed: WorkspaceSeed = {}): ReferenceWorkspace {
    const live = this.#parts.workspaces.create(withServerDefaults(this.#parts.defaults, seed));
    return new ReferenceWorkspace(live, this.#parts.host);
  }

  /** Answers a request without a socket. The path begins with `/api/v1`, whatever the host. */
  fetch(request: Request): Promise<Response> {
    return this.#parts.host.fetch(request);
  }

  /**
   * Serves on a socket.
   *
   * @returns `url`, and `baseUrl`, which is the one to give to a client: it ends in `/api`.
   * @throws Error where the server listens already, was closed, or the address cannot be had.
   */
  async listen(options: ListenOptions = {}): Promise<{ readonly url: string; readonly baseUrl: string }> {
    if (this.#closing !== undefined) {
      throw new Error('This reference server is closed, and stays so. Make another.');
    }
    if (this.#listening !== undefined) {
      throw new Error(
        'This reference server listens already. One server listens on one address; make another.',
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
   * All that it takes to have the server go on where it is, as plain data that can be written to a file as JSON: give it as
   * `state` to `createReferenceServer`. It waits for nothing: what is under way counts as not begun.
   */
  async state(): Promise<ServerState> {
    const { workspaces, defaults } = this.#parts;
    await workspaces.ready();
    // Between two turns of the event loop no rule is half done.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const [first, ...others] = await Promise.all(workspaces.list().map((workspace) => workspace.save()));
    if (first === undefined) throw new Error('A reference server has a workspace.');
    return {
      version: 1,
      apiKeyDigest: digestOfKey(this.apiKey),
      defaults,
      workspaces: [inState(first), ...others.map(inState)],
    };
  }

  /**
   * Calls back after each change of what `state()` gives, and now and then where there was none; but not for the time that
   * passes by itself.
   *
   * @returns What ends it.
   */
  onChange(callback: () => void): () => void {
    return this.#parts.changes.watch(callback);
  }

  /** Resolves when all that is due has been done, in every workspace. */
  override settled(): Promise<void> {
    return this.#parts.workspaces.settled();
  }

  /**
   * Stops for good: frees the port, starts nothing more, and lets what is under way finish for as long as
   * `shutdownGrace` says. What has not finished by then is given up: a delivery under way waits again as if it had not
   * been attempted. What the workspaces hold can still be read.
   */
  override close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    const { workspaces, requests, machine, shutdownGrace } = this.#parts;
    for (const workspace of workspaces.list()) workspace.stop();
    const server = (await this.#listening?.catch(() => undefined))?.server;
    const connectionsEnded = server && stopListening(server);
    const finished = Promise.all([connectionsEnded, requests.settled()]).then(() => workspaces.settled());
    await atMost(machine, shutdownGrace, finished);
    server?.closeAllConnections();
    await connectionsEnded;
    await Promise.all(workspaces.list().map((workspace) => workspace.handBack()));
  }
}

/** In milliseconds. */
const defaultShutdownGrace = 1_000;

/** Node's own HTTP where there is Node's: a worker has some of its modules, but no sockets behind them. */
function createSender(
  { fetch }: ReferenceServerOptions,
  clock: Clock,
  timeout: number,
  receiverAddresses: ReceiverAddresses,
): Sender {
  const inWorker = globalThis.navigator?.userAgent === 'Cloudflare-Workers';
  const inNode = typeof globalThis.process?.versions?.node === 'string' && !inWorker;
  return fetch === undefined && inNode
    ? new NodeSender({ clock, timeout, receiverAddresses })
    : new FetchSender(fetch ?? currentFetch, clock, timeout, receiverAddresses);
}

/** Looks `fetch` up at each call: who intercepts it (MSW, for one) may begin after the server was made. */
const currentFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
