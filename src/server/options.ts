import type { Clock } from '../foundation/clock.js';
import type { ServerLog } from './model/log.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';
import type { ReceiverAddresses } from './service/address-policy.js';
import type { ServerState } from './state/server-state.js';
import type { Duration } from './time/duration.js';

/**
 * How a reference server is to be, and what its first workspace begins with.
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
   * What `state()` of another server gave: this one goes on where that was, with all workspaces, and what fell due in
   * between is done. Of the fields of a seed, `apiKey` alone may stand beside it: it opens the first workspace, as the keys
   * do that it had.
   */
  readonly state?: ServerState | undefined;
  /** The machine's clock, for tests that bring their own. */
  readonly systemClock?: Clock | undefined;
  /** How long a receiver has for its answer; 5 s unless told, which is what the document says (§6). */
  readonly deliveryTimeout?: Duration | undefined;
  /**
   * How long requests, deliveries and events that are under way may take to finish when the server is closed, by the
   * machine's clock; 1 s unless told. What has not finished by then is given up.
   */
  readonly shutdownGrace?: Duration | undefined;
  /** Where deliveries may go; `loopback` unless told: to public HTTPS endpoints, and to this machine. */
  readonly receiverAddresses?: ReceiverAddresses | undefined;
  /** The largest request body, in bytes; 1 MiB unless told (not shown in the document). */
  readonly bodyLimit?: number | undefined;
  /** Lets web pages of these origins, such as `https://app.example.com`, use the API, or of all (`*`); of none unless told. */
  readonly cors?: '*' | readonly string[] | undefined;
  /** Sends the deliveries; Node's own HTTP unless told, which connects to no address that it has not checked. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Names new things, by kind; random unless told. */
  readonly newId?: ((kind: string) => string) | undefined;
  /** Bytes for signing secrets; the platform's secure source unless told. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /** Takes the log; nothing is logged unless told. */
  readonly log?: ServerLog | undefined;
}
