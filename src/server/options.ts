import type { Clock } from '../foundation/clock.js';
import type { ServerLog } from './model/log.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';
import type { ReceiverAddresses } from './service/address-policy.js';
import type { ServerState } from './state/server-state.js';
import type { ServerStore } from './store/server-store.js';
import type { Duration } from './time/duration.js';

/**
 * The options of a reference server, and the initial content of its first workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
 *
 * const options: ReferenceServerOptions = { clock: 'frozen', quota: 1, specGaps: { retryBackoff: ['1s', '5s'] } };
 * await using server = createReferenceServer(options);
 * ```
 */
export interface ReferenceServerOptions extends WorkspaceSeed {
  /**
   * The result of `state()` of another server. This server resumes from it with all workspaces, and does what fell due in
   * between. `apiKey` is the only seed field that you can combine with it: it adds a key to the first workspace.
   */
  readonly state?: ServerState | undefined;
  /**
   * A store that other servers share, such as `postgresStore()` of `messaging-automation/postgres`. The servers are replicas of
   * one service. The seed fields apply if the store does not have the workspace yet; `apiKey` then adds a key. Default: the
   * memory of this process.
   */
  readonly store?: ServerStore | undefined;
  /** The machine's clock, for tests that bring their own. */
  readonly systemClock?: Clock | undefined;
  /** The timeout of one delivery attempt. Default: 5 s, as the document says (§6). */
  readonly deliveryTimeout?: Duration | undefined;
  /**
   * How long `close()` waits for running requests, deliveries and events, by the machine's clock. Default: 1 s. After
   * that, the server abandons them.
   */
  readonly shutdownGrace?: Duration | undefined;
  /** The URLs that receive deliveries. Default: `loopback`, which allows public HTTPS endpoints and this machine. */
  readonly receiverAddresses?: ReceiverAddresses | undefined;
  /** The largest request body, in bytes. Default: 1 MiB (the document does not say). */
  readonly bodyLimit?: number | undefined;
  /** The origins whose web pages may call the API, such as `https://app.example.com`, or `*` for all. Default: none. */
  readonly cors?: '*' | readonly string[] | undefined;
  /**
   * Serves the workbench at `/`: a page that shows what happens in a workspace and controls it. Open it with the key in the
   * fragment, such as `http://127.0.0.1:4010/#key=test_key`. It requires Node, Bun or Deno. Default: false.
   *
   * A server with the workbench refuses requests with a foreign `Host` header on a loopback address with 421: a foreign web
   * page sends them through DNS rebinding.
   */
  readonly workbench?: boolean | undefined;
  /** Further host names for a server with the workbench, without a port, such as those of a local proxy. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves counts of requests and deliveries at `/metrics`, as OpenMetrics text for Prometheus and others. It requires no key,
   * and shows no id, no phone number and no content. Default: false.
   */
  readonly metrics?: boolean | undefined;
  /** Sends the deliveries. Default: Node's HTTP, which checks each address before it connects. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Generates the id of each new record, by kind. Default: random ids. */
  readonly newId?: ((kind: string) => string) | undefined;
  /** Generates the bytes of signing secrets. Default: the platform's secure random source. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /** Receives the log entries. Default: no log. */
  readonly log?: ServerLog | undefined;
}
