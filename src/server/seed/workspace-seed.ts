import * as z from 'zod/mini';
import {
  type ContactProperties,
  type UpsertContactInput,
  upsertContactSchema,
} from '../../contract/contact.js';
import type { Schema } from '../../contract/schema.js';
import { faultRuleSchema } from '../faults/rule-schema.js';
import type { DeliveryTimestamps } from '../model/environment.js';
import type { FaultRule } from '../model/fault-rule.js';
import type { QuotaChange } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { TemplateStatus } from '../model/template-status.js';
import { type ManagedWebhookSeed, managedWebhookSchema } from '../service/managed-webhook-seed.js';
import type { Instant } from '../time/instant.js';
import { instant, listById, name } from './fields.js';
import { journeySeedSchema } from './journey-schema.js';
import type { JourneySeed } from './journey-seed.js';
import { referenceProblems } from './references.js';
import { type SegmentSeed, segmentSeedSchema } from './segment-seed.js';
import { specGapsSchema } from './spec-gaps-schema.js';

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
 * What of a template is to be otherwise. What is not named stays.
 *
 * @example
 * ```ts
 * import type { TemplateChange } from 'messaging-automation/server';
 *
 * const pause: TemplateChange = { status: 'paused' };
 * ```
 */
export type TemplateChange = {
  readonly [Field in 'body' | 'name' | 'language' | 'status']?: TemplateSeed[Field] | undefined;
};

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
  readonly contacts?: readonly UpsertContactInput<ContactProperties>[] | undefined;
  readonly segments?: readonly SegmentSeed[] | undefined;
  readonly journeys?: readonly JourneySeed[] | undefined;
  /** The subscriptions that the service manages itself, for automation platforms. */
  readonly managedWebhooks?: readonly ManagedWebhookSeed[] | undefined;
  /**
   * `flowing`: the workspace's time runs with the machine's, and can be moved ahead of it by its `clock`. `frozen`: it
   * moves by its `clock` alone. As the server's own unless told, which flows unless told.
   */
  readonly clock?: 'flowing' | 'frozen' | undefined;
  /** The time to begin at; the machine's unless told. */
  readonly now?: Instant | undefined;
  /**
   * Whose time is the `timestamp` of a delivery, by which receivers judge its age. As the server's own unless told, which
   * is `workspace` in a test, for a receiver with `clock: workspace.clock`, and `machine` beside `serve`, for one in
   * another process.
   */
  readonly deliveryTimestamps?: DeliveryTimestamps | undefined;
  /** What the workspace does where the service's document shows nothing. As the server's own unless told. */
  readonly specGaps?: Partial<SpecGaps> | undefined;
  /** What goes wrong, and when. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** What the faults draw from, a whole number of 32 bits; 1 unless told, so that each run is like the one before. */
  readonly randomSeed?: number | undefined;
}

const apiKey = z
  .string()
  .check(z.regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces, to fit into a header'));

const count = z.int('must be a whole number').check(z.gte(0, 'must be zero or more'));

/** What is to be left to spend. */
export const quotaChangeSchema: Schema<QuotaChange> = z.strictObject({
  quota: z.optional(count),
  addOnCredits: z.optional(count),
});

const templateFields = {
  name: z.optional(z.string()),
  language: z.optional(z.string()),
  status: z.optional(z.enum(['approved', 'pending', 'rejected', 'paused'])),
};

export const templateSeedSchema: Schema<TemplateSeed> = z.strictObject({
  id: name,
  body: z.string(),
  ...templateFields,
});

/** What of a template is to be otherwise. */
export const templateChangeSchema: Schema<TemplateChange> = z.strictObject({
  body: z.optional(z.string()),
  ...templateFields,
});

const contactSeed = upsertContactSchema.check(
  z.refine(({ phone, properties }) => properties?.phone === undefined || properties.phone === phone, {
    path: ['properties', 'phone'],
    error: "must be the contact's own phone",
  }),
);

const fields: Schema<WorkspaceSeed> = z.strictObject({
  workspaceId: z.optional(name),
  apiKey: z.optional(apiKey),
  quota: z.optional(count),
  addOnCredits: z.optional(count),
  templates: z.optional(listById(templateSeedSchema)),
  contacts: z.optional(z.array(contactSeed)),
  segments: z.optional(listById(segmentSeedSchema)),
  journeys: z.optional(listById(journeySeedSchema)),
  managedWebhooks: z.optional(z.array(managedWebhookSchema)),
  clock: z.optional(z.enum(['flowing', 'frozen'])),
  now: z.optional(instant),
  deliveryTimestamps: z.optional(z.enum(['workspace', 'machine'])),
  specGaps: z.optional(specGapsSchema),
  faults: z.optional(z.array(faultRuleSchema).check(z.maxLength(1_000, 'must be no more than 1,000'))),
  randomSeed: z.optional(z.int32('must be a whole number of 32 bits')),
});

/** A workspace's seed, as read from a file or given by a program. */
export const workspaceSeedSchema: Schema<WorkspaceSeed> = fields.check(
  z.check(({ value, issues }) => {
    for (const { path, message } of referenceProblems(value)) {
      issues.push({ code: 'custom', path: [...path], message, input: value });
    }
  }),
);
