import * as z from 'zod/mini';
import { unknownFields, validate } from '../contract/schema.js';
import type { Bytes } from '../foundation/bytes.js';
import type { Clock } from '../foundation/clock.js';
import type { FetchFunction } from '../foundation/fetch-function.js';
import { isObject } from '../foundation/is-object.js';
import { type FieldProblem, hasMethods } from '../foundation/options.js';
import type { ServerLog } from './model/log.js';
import { notRight } from './model/service-error.js';
import { duration } from './seed/fields.js';
import { parseSeed } from './seed/parse-seed.js';
import { seedFields, type WorkspaceSeed } from './seed/workspace-seed.js';
import type { ReceiverAddresses } from './service/address-policy.js';
import type { ServerState } from './state/server-state.js';
import { isSharedStore, type ServerStore } from './store/shared-store.js';
import type { Duration } from './time/duration.js';

/**
 * Options of `createReferenceServer`, and the initial content of the server's first workspace.
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
   * The result of `state()` of another server. This server resumes with all its workspaces, and does the work that became due
   * since then. The only seed field that you can combine with `state` is `apiKey`, which adds a key to the first workspace. It also reads
   * what earlier versions of the package wrote. A state is one value in memory, meant for up to 100,000 contacts; a `store` has no such limit.
   */
  readonly state?: ServerState | undefined;
  /**
   * A store that several servers share, such as `postgresStore()` of `messaging-automation/postgres`. The servers are then
   * replicas of one service. The seed applies only if the store does not have the workspace yet. If it has the workspace,
   * `apiKey` adds a key. Default: the memory of this process.
   */
  readonly store?: ServerStore | undefined;
  /** Replaces the machine's clock, for tests. Default: the clock and timers of the machine. */
  readonly systemClock?: Clock | undefined;
  /** The timeout of one delivery attempt. Default: 5 seconds, as the service's document states. */
  readonly deliveryTimeout?: Duration | undefined;
  /**
   * How long `close()` waits for running requests, deliveries and events, by the machine's clock. After that, the server
   * abandons them. Default: 1 second.
   */
  readonly shutdownGrace?: Duration | undefined;
  /** Which URLs can receive deliveries. Default: `loopback`, which allows public HTTPS endpoints and this machine. */
  readonly receiverAddresses?: ReceiverAddresses | undefined;
  /** The largest request body, in bytes. Default: 1 MiB. The service's document states no limit. */
  readonly bodyLimit?: number | undefined;
  /** The origins whose web pages may call the API, such as `https://app.example.com`, or `*` for all. Default: none. */
  readonly cors?: '*' | readonly string[] | undefined;
  /**
   * Serves the workbench at `/`: a page that shows what happens in a workspace and controls it. It asks for the key of a workspace,
   * or for a link of `serve`. It requires Node, Bun or Deno. Default: false.
   *
   * On a loopback address, a server with the workbench responds with 421 to requests whose `Host` header names another host.
   * This protects against DNS rebinding by other web pages.
   */
  readonly workbench?: boolean | undefined;
  /** Additional host names that a server with the workbench accepts, without a port, such as a local proxy's. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves metrics of requests and deliveries at `/metrics`, as OpenMetrics text for Prometheus and others. The endpoint
   * requires no key, and shows no id, phone number or content. Default: false.
   */
  readonly metrics?: boolean | undefined;
  /** Sends the deliveries. Default: Node's HTTP, which checks the address of each connection against `receiverAddresses`. */
  readonly fetch?: FetchFunction<Bytes> | undefined;
  /** Generates the id of each new record, by kind. Default: random ids. */
  readonly newId?: ((kind: string) => string) | undefined;
  /** Generates the bytes of signing secrets. Default: the platform's secure random source. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /** Receives the log entries. Default: no log. */
  readonly log?: ServerLog | undefined;
}

const isFunction = (value: unknown) => typeof value === 'function';
const aFunction = z.custom(isFunction, 'must be a function');

const wantedBytes = 'must be a whole number of bytes, one or more';

const wantedOrigins =
  "must be '*' or a list of origins, such as 'https://app.example.com', without a slash at the end";

const wantedHosts = "must be a list of host names without ports, such as 'service.test'";

/** The options of the server itself; all others belong to the seed of the first workspace. */
const ownOptions = {
  state: z.looseObject({}, 'must be the result of state() of a server'),
  store: z.custom(isSharedStore, 'must be a store, such as the result of postgresStore()'),
  systemClock: z.custom(hasMethods('now', 'setTimer'), 'must be a clock, with now and setTimer'),
  deliveryTimeout: duration,
  shutdownGrace: duration,
  bodyLimit: z.int(wantedBytes).check(z.gte(1, wantedBytes)),
  receiverAddresses: z.enum(['public', 'loopback', 'any'], "must be 'public', 'loopback' or 'any'"),
  cors: z.union([z.literal('*'), z.array(z.custom(isOrigin, { abort: true }))], wantedOrigins),
  workbench: z.boolean('must be true or false'),
  allowedHosts: z.array(z.string().check(z.regex(/^[\w.-]+$/, wantedHosts)), wantedHosts),
  metrics: z.boolean('must be true or false'),
  fetch: aFunction,
  newId: aFunction,
  randomBytes: aFunction,
  log: aFunction,
} satisfies Readonly<Record<Exclude<keyof ReferenceServerOptions, keyof WorkspaceSeed>, z.core.$ZodType>>;

const serverOptions = z.partial(z.object(ownOptions));

const subject = 'The options argument of createReferenceServer';

/**
 * Checks the options and returns the seed of the first workspace.
 *
 * @throws ConfigurationError that names every invalid or unknown option.
 */
export function seedOf(options: ReferenceServerOptions): WorkspaceSeed {
  if (!isObject(options)) throw notRight(subject, [{ field: '', message: 'must be an object' }]);
  const validation = validate(serverOptions, options);
  const known = [...Object.keys(ownOptions), ...seedFields];
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  const others = Object.entries(options).filter(([name]) => seedFields.includes(name));
  return parseSeed(subject, Object.fromEntries(others), [
    ...(validation.valid ? [] : validation.problems),
    ...unknownFields(unknown, known),
    ...(options.state === undefined ? [] : besideState(others)),
    ...(options.state === undefined || options.store === undefined ? [] : [storeBesideState]),
  ]);
}

/** The seed fields that conflict with a state, which already holds them. */
function besideState(others: readonly (readonly [name: string, value: unknown])[]): readonly FieldProblem[] {
  return others
    .filter(([name, value]) => name !== 'apiKey' && value !== undefined)
    .map(([field]) => ({
      field,
      message: 'cannot be combined with state, which already holds it; remove one of them',
    }));
}

const storeBesideState: FieldProblem = {
  field: 'store',
  message: 'cannot be combined with state: both hold the workspaces; remove one of them',
};

/** An origin as browsers send it; a page without a host sends `null`. */
function isOrigin(value: unknown): boolean {
  if (value === '*' || value === 'null') return true;
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
}
