import * as z from 'zod/mini';
import {
  type ContactProperties,
  type UpsertContactInput,
  upsertContactSchema,
} from '../../contract/contact.js';
import { fitting, type Schema } from '../../contract/schema.js';
import { faultRuleSchema } from '../faults/fault-schemas.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import type { FaultRule } from '../model/fault.js';
import type { TemplateStatus } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { type ManagedWebhookSeed, managedWebhookSchema } from '../service/subscriptions.js';
import type { Instant } from '../time/instant.js';
import { count, instant, listById, name } from './fields.js';
import { type JourneySeed, journeySeedSchema } from './journey-seed.js';
import { referenceProblems } from './references.js';
import { type SegmentSeed, segmentSeedSchema } from './segment-seed.js';
import { specGapsSchema } from './spec-gaps-schema.js';

/** A message template of a seed. */
export interface TemplateSeed {
  /** The id. A send passes it as `templateId`. */
  readonly id: string;
  /** The text. Its placeholders have numbers: `{{1}}`, `{{2}}`, and so on. */
  readonly body: string;
  /** A display name. Default: the id. */
  readonly name?: string | undefined;
  /** A language code. Default: `en`. */
  readonly language?: string | undefined;
  /** The status. A send of a template that is not approved gets 422. Default: `approved`. */
  readonly status?: TemplateStatus | undefined;
}

/**
 * The initial content of a workspace. Give a seed in a constant this type, or end it with `satisfies WorkspaceSeed`: otherwise
 * TypeScript takes its `'frozen'` or `'1d'` for any string.
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
  /** The workspace's id. Default: a generated id. */
  readonly workspaceId?: string | undefined;
  /** The workspace's API key. Default: a generated key. */
  readonly apiKey?: string | undefined;
  /** The remaining conversations of the plan. Each send uses one. Default: 1,000. */
  readonly quota?: number | undefined;
  /** Conversations that sends use after the plan is used up. Default: 0. */
  readonly addOnCredits?: number | undefined;
  /** The templates that sends can name. Default: none. */
  readonly templates?: readonly TemplateSeed[] | undefined;
  /** The contacts, in the order of their creation. Their consent is unknown. Default: none. */
  readonly contacts?: readonly UpsertContactInput<ContactProperties>[] | undefined;
  /** The segments that the branches of journeys can name. Default: none. */
  readonly segments?: readonly SegmentSeed[] | undefined;
  /** The journeys, which tracked events start. Default: none. */
  readonly journeys?: readonly JourneySeed[] | undefined;
  /** Subscriptions that the service itself manages for automation platforms. The API neither lists nor deletes them. Default: none. */
  readonly managedWebhooks?: readonly ManagedWebhookSeed[] | undefined;
  /**
   * `flowing`: the workspace's time runs with the machine's, and you can advance it. `frozen`: the time only moves when you
   * advance it. Default: the setting of the server, whose default is `flowing`.
   */
  readonly clock?: 'flowing' | 'frozen' | undefined;
  /** The initial time. Default: the machine's time. */
  readonly now?: Instant | undefined;
  /**
   * Which clock sets the `timestamp` of a delivery. Receivers use it to check the age of a delivery. Use `workspace` for a
   * receiver with `clock: workspace.clock`, and `machine` for a receiver in another process. Default: the setting of the
   * server, whose default is `workspace`. The command `serve` uses `machine`.
   */
  readonly deliveryTimestamps?: DeliveryTimestamps | undefined;
  /** The gaps of the service's document: behavior that it does not specify. Default: the values of the server. */
  readonly specGaps?: Partial<SpecGaps> | undefined;
  /** Rules that inject faults into requests and deliveries. Default: no faults. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** The seed of the random numbers of faults, a 32-bit integer. Default: 1, so that each run is the same. */
  readonly randomSeed?: number | undefined;
}

const apiKey = z
  .string()
  .check(z.regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces, to fit into a header'));

/** The fields of a template that have a default. */
export const templateFields = {
  name: z.optional(z.string()),
  language: z.optional(z.string()),
  status: z.optional(z.enum(['approved', 'pending', 'rejected', 'paused'])),
};

export const templateSeedSchema: Schema<TemplateSeed> = z.strictObject({
  id: name,
  body: z.string(),
  ...templateFields,
});

const contactSeed = fitting(
  upsertContactSchema,
  ({ phone, properties }) => properties?.phone === undefined || properties.phone === phone,
  "must be the contact's own phone",
  ['properties', 'phone'],
);

/** The fields of a seed that a workspace needs after its start. */
export const settingsSchema = z.strictObject({
  clock: z.optional(z.enum(['flowing', 'frozen'])),
  now: z.optional(instant),
  deliveryTimestamps: z.optional(z.enum(['workspace', 'machine'])),
  // An optional field builds a lazy schema to learn its default, but not one in a pipe.
  specGaps: z.optional(z.pipe(z.unknown(), specGapsSchema)),
  faults: z.optional(z.array(faultRuleSchema).check(z.maxLength(1_000, 'must have at most 1,000 rules'))),
  randomSeed: z.optional(z.int32('must be a whole number of 32 bits')),
});

const shape = {
  workspaceId: z.optional(name),
  apiKey: z.optional(apiKey),
  quota: z.optional(count),
  addOnCredits: z.optional(count),
  templates: z.optional(listById(templateSeedSchema)),
  contacts: z.optional(z.array(contactSeed)),
  segments: z.optional(listById(segmentSeedSchema)),
  journeys: z.optional(listById(journeySeedSchema)),
  managedWebhooks: z.optional(z.array(managedWebhookSchema)),
  ...settingsSchema.shape,
};

/** The names of the fields of a seed. */
export const seedFields: readonly string[] = Object.keys(shape);

const fields: z.ZodMiniType<WorkspaceSeed> = z.strictObject(shape);

/** A workspace's seed, from a file or a program. */
export const workspaceSeedSchema: Schema<WorkspaceSeed> = fields.check(
  z.check(({ value, issues }) => {
    for (const { path, message } of referenceProblems(value)) {
      issues.push({ code: 'custom', path: [...path], message, input: value });
    }
  }),
);
