import type { Server } from 'node:http';
import type { UpsertContactInput } from '../contract/contact.js';
import { deliveryTimeout } from '../contract/delivery.js';
import { type Clock, systemClock } from '../foundation/clock.js';
import { seedOf } from './check-options.js';
import { type ServerClock, SteerableClock } from './control/clock.js';
import { toMilliseconds } from './control/duration.js';
import { Work } from './control/work.js';
import { Dispatcher } from './deliveries/dispatcher.js';
import { HttpSender } from './deliveries/sender.js';
import { type Environment, randomId, secureRandomBytes } from './environment.js';
import { serveApi } from './http/api-routes.js';
import { Application, apiPrefix } from './http/application.js';
import { serveControl } from './http/control-routes.js';
import { close, type ListenOptions, listen } from './http/listener.js';
import { harmless, noLog } from './log.js';
import type { ReferenceServerOptions } from './options.js';
import { simulatedProvider } from './provider/simulated.js';
import { parseWorkspaceSeed, workspaceFromSeed } from './seed.js';
import { createServices, type Services } from './service/services.js';
import { MemoryStore } from './store/memory-store.js';
import type { WorkspaceRecord } from './store/records.js';
import type { WorkspaceStore } from './store/store.js';
import { type Journal, openWorkspace, type ReferenceWorkspace, type Simulation } from './workspace.js';
import type { WorkspaceSeed } from './workspace-seed.js';

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
  return new ReferenceServer(options);
}

/**
 * A running reference server; `createReferenceServer` makes one. It is also its first workspace: `apiKey`,
 * `simulate` and `journal` are that workspace's.
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
export class ReferenceServer implements ReferenceWorkspace, AsyncDisposable {
  /** The server's time, in a test's hands. */
  readonly clock: ServerClock;
  readonly #environment: Environment;
  readonly #work: Work;
  readonly #steerableClock: SteerableClock;
  readonly #machine: Clock;
  readonly #dispatcher: Dispatcher;
  readonly #store = new MemoryStore();
  readonly #services: Services;
  readonly #application: Application;
  readonly #first: ReferenceWorkspace;
  /** Workspaces that are still being made; a request waits for them. */
  #making: Promise<unknown> = Promise.resolve();
  /** The ids and the digests of the keys that workspaces of this server have. */
  readonly #taken = new Set<string>();
  #listening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(options: ReferenceServerOptions) {
    const seed = seedOf(options);
    this.#machine = options.systemClock ?? systemClock;
    const log = harmless(options.log ?? noLog);
    const timestamp = () => new Date(this.clock.now()).toISOString();
    this.#work = new Work((error) => log({ type: 'error', time: timestamp(), message: String(error) }));
    this.#steerableClock = new SteerableClock(this.#machine, options.clock ?? 'flowing', () =>
      this.#work.settled(),
    );
    this.clock = this.#steerableClock;
    this.#environment = {
      clock: this.#steerableClock,
      newId: options.newId ?? randomId,
      randomBytes: options.randomBytes ?? secureRandomBytes,
    };
    // The deadline of an attempt is the machine's time, never the test's: it bounds a real exchange.
    const timeout = toMilliseconds(options.deliveryTimeout ?? deliveryTimeout);
    this.#dispatcher = new Dispatcher({
      environment: this.#environment,
      work: this.#work,
      sender: new HttpSender(options.fetch ?? currentFetch, this.#machine, timeout),
      backoff: (options.retryBackoff ?? ['10s', '60s']).map(toMilliseconds),
      log,
    });
    this.#services = createServices(this.#environment, this.#work, this.#dispatcher, simulatedProvider);
    this.#application = new Application({
      store: this.#store,
      environment: this.#environment,
      log,
      bodyLimit: options.bodyLimit ?? 1024 * 1024,
    });
    serveApi(this.#application, this.#services);
    serveControl(this.#application, this.#services.inboundMessages);
    this.#first = this.workspace(seed);
  }

  /** The workspace's id. */
  get id(): string {
    return this.#first.id;
  }

  /** The key that opens the workspace. */
  get apiKey(): string {
    return this.#first.apiKey;
  }

  /** What contacts do, done by a test. */
  get simulate(): Simulation {
    return this.#first.simulate;
  }

  /** What has happened in the workspace so far. */
  get journal(): Journal {
    return this.#first.journal;
  }

  /**
   * Makes another workspace: its key sees nothing of the others.
   *
   * @throws TypeError where the seed is not right, or names an id or a key that another workspace has.
   */
  workspace(seed: WorkspaceSeed = {}): ReferenceWorkspace {
    const checked = parseWorkspaceSeed(seed);
    const { apiKey, record } = workspaceFromSeed(checked, this.#environment);
    this.#take([record.id, ...record.apiKeyDigests]);
    const store = this.#createWorkspace(record, checked.contacts ?? []);
    this.#making = Promise.all([this.#making, store]);
    // A failure is told to whoever uses the server next; until then it must not end the process.
    this.#making.catch(() => {});
    return openWorkspace(record.id, apiKey, store, this.#services.inboundMessages);
  }

  /** Answers a request without a socket. The path begins with `/api/v1`, whatever the host. */
  async fetch(request: Request): Promise<Response> {
    await this.#making;
    return this.#application.fetch(request);
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
    this.#listening = this.#making.then(() => listen((request) => this.fetch(request), options));
    try {
      const { url } = await this.#listening;
      return { url, baseUrl: url + apiPrefix };
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  /** Resolves when all that is due has been done: events are processed, delivery attempts have ended. */
  settled(): Promise<void> {
    return this.#work.settled();
  }

  /** Stops for good: answers what is being asked, gives up what waits, and frees the port. */
  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  /** The same as `close`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #take(names: readonly string[]): void {
    if (names.some((name) => this.#taken.has(name))) {
      throw new TypeError(
        'Another workspace of this server has this id or this API key. Left out, both are made up.',
      );
    }
    for (const name of names) this.#taken.add(name);
  }

  async #createWorkspace(
    record: WorkspaceRecord,
    contacts: readonly UpsertContactInput[],
  ): Promise<WorkspaceStore> {
    const store = await this.#store.createWorkspace(record);
    for (const contact of contacts) await this.#services.contacts.upsert(store, contact);
    return store;
  }

  async #stop(): Promise<void> {
    this.#steerableClock.stop();
    this.#dispatcher.close();
    const listening = await this.#listening?.catch(() => undefined);
    if (listening !== undefined) await close(listening.server, this.#machine);
    await this.#work.settled();
  }
}

/** Looks `fetch` up at each call: who intercepts it (MSW, for one) may begin after the server was made. */
const currentFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
