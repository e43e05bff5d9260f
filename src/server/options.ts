import type { UpsertContactInput } from '../contract/contact.js';
import type { Clock } from '../foundation/clock.js';
import type { Duration } from './control/duration.js';
import type { ServerLog } from './log.js';
import type { TemplateStatus } from './store/records.js';

/**
 * A message template to begin with.
 *
 * @example
 * ```ts
 * import type { TemplateSeed } from 'messaging-automation/server';
 *
 * const template: TemplateSeed = { id: 'welcome', body: 'Welcome, {{1}}!' };
 * ```
 */
export interface TemplateSeed {
  /** What sends refer to as `templateId`. */
  readonly id: string;
  /** The text, with its placeholders numbered: `{{1}}`, `{{2}}`, and so on. */
  readonly body: string;
  /** A name for people; the id unless told. */
  readonly name?: string | undefined;
  /** A language code; `en` unless told. */
  readonly language?: string | undefined;
  /** `approved` unless told. Sends of any other are rejected with 422. */
  readonly status?: TemplateStatus | undefined;
}

/**
 * An event-based segment: it holds the contacts for whom an event was tracked often enough.
 *
 * @example
 * ```ts
 * import type { SegmentSeed } from 'messaging-automation/server';
 *
 * const regulars: SegmentSeed = { id: 'regulars', event: 'order_placed', atLeast: 3 };
 * ```
 */
export interface SegmentSeed {
  readonly id: string;
  /** The name of the event that feeds the segment. */
  readonly event: string;
  /** How many of those events it takes; 1 unless told. */
  readonly atLeast?: number | undefined;
}

/**
 * What a workspace of the reference server begins with.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type WorkspaceSeed } from 'messaging-automation/server';
 *
 * const seed: WorkspaceSeed = {
 *   quota: 10,
 *   templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }],
 *   contacts: [{ phone: '+15551234567', properties: { firstName: 'Ada' } }],
 * };
 * await using server = createReferenceServer(seed);
 * ```
 */
export interface WorkspaceSeed {
  /** The workspace's id; made up unless told. */
  readonly workspaceId?: string | undefined;
  /** The key that opens the workspace; made up unless told. */
  readonly apiKey?: string | undefined;
  /** The plan's conversations; 1,000 unless told. Each send takes one. */
  readonly quota?: number | undefined;
  /** Conversations to be had when the plan's are used up; 0 unless told. */
  readonly addOnCredits?: number | undefined;
  readonly templates?: readonly TemplateSeed[] | undefined;
  readonly contacts?: readonly UpsertContactInput[] | undefined;
  readonly segments?: readonly SegmentSeed[] | undefined;
}

/**
 * How a reference server is to be, and what its first workspace begins with.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
 *
 * const options: ReferenceServerOptions = { clock: 'frozen', quota: 1, retryBackoff: ['1s', '5s'] };
 * await using server = createReferenceServer(options);
 * ```
 */
export interface ReferenceServerOptions extends WorkspaceSeed {
  /**
   * `flowing` (unless told): the server's time runs with the machine's, and can be moved ahead of it by
   * `server.clock`. `frozen`: it moves by `server.clock` alone.
   */
  readonly clock?: 'flowing' | 'frozen' | undefined;
  /** The machine's clock, for tests that bring their own. */
  readonly systemClock?: Clock | undefined;
  /** The wait before each of the two retries of a delivery; 10 s and 60 s unless told (not shown in the document). */
  readonly retryBackoff?: readonly [Duration, Duration] | undefined;
  /** How long a receiver has for its answer; 5 s unless told, which is what the document says (§6). */
  readonly deliveryTimeout?: Duration | undefined;
  /** The largest request body, in bytes; 1 MiB unless told (not shown in the document). */
  readonly bodyLimit?: number | undefined;
  /** Sends the deliveries; the global `fetch` unless told. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Names new things, by kind; random unless told. */
  readonly newId?: ((kind: string) => string) | undefined;
  /** Bytes for signing secrets; the platform's secure source unless told. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /** Takes the log; nothing is logged unless told. */
  readonly log?: ServerLog | undefined;
}
