import * as z from 'zod/mini';
import { type OperationName, operationNames } from '../../contract/operation-name.js';
import {
  isJsonObject,
  type Problem,
  type Schema,
  unknownFields,
  type Validation,
  validate,
} from '../../contract/schema.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import {
  type DeliveryFault,
  type DeliveryFaultRule,
  driftChanges,
  type FaultRule,
  type JsonValue,
  type RequestFault,
  type RequestFaultRule,
} from '../model/fault.js';
import { type Duration, isDuration, wantedDuration } from '../time/duration.js';

export const duration: z.ZodMiniType<Duration> = z.custom<Duration>(isDuration, wantedDuration);
export const jsonValue: z.ZodMiniType<JsonValue> = z.custom<JsonValue>(isJsonValue, 'must be a JSON value');
const requestMoment = z.enum(['before_commit', 'after_commit']);
const deliveryMoment = z.enum(['before_receipt', 'after_receipt']);

function status(from: number) {
  const words = `must be a whole number from ${from} to 599`;
  return z.int(words).check(z.gte(from, words), z.lte(599, words));
}

/** Headers that the server could not send. */
const ownHeaders = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

const headers = z
  .record(z.string(), z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a valid header value')))
  .check(
    z.refine(
      (record) => Object.keys(record).every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)),
      'must have valid header names',
    ),
    z.refine(
      (record) => !Object.keys(record).some((name) => ownHeaders.has(name.toLowerCase())),
      `must not have ${[...ownHeaders].join(', ')}: the server sets these headers`,
    ),
  );

const drift = {
  kind: z.literal('drift'),
  change: z.optional(z.enum(driftChanges)),
  field: z.optional(z.string().check(z.minLength(1))),
};

/** A fault of a request, from a file, a header or a program. */
export const requestFaultSchema: Schema<RequestFault> = z.lazy(() =>
  z.discriminatedUnion(
    'kind',
    [
      z.strictObject({
        kind: z.literal('status'),
        status: status(300),
        code: z.optional(z.string().check(z.minLength(1))),
        body: z.optional(jsonValue),
        headers: z.optional(headers),
        retryAfter: z.optional(duration),
        when: z.optional(requestMoment),
      }),
      z.strictObject({ kind: z.literal('rate_limit'), retryAfter: z.optional(duration) }),
      z.strictObject({ kind: z.literal('latency'), duration, when: z.optional(requestMoment) }),
      z.strictObject({ kind: z.literal('reset'), when: requestMoment }),
      z.strictObject({ kind: z.literal('stall') }),
      z.strictObject({ kind: z.literal('malformed_json') }),
      z.strictObject(drift),
    ],
    { error: unknownKind('status, rate_limit, latency, reset, stall, malformed_json or drift') },
  ),
);

/** A fault of a delivery attempt, from a file or a program. */
export const deliveryFaultSchema: Schema<DeliveryFault> = z.lazy(() =>
  z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('status'), status: status(200), when: z.optional(deliveryMoment) }),
      z.strictObject({ kind: z.literal('latency'), duration }),
      z.strictObject({ kind: z.literal('stall'), when: z.optional(deliveryMoment) }),
      z.strictObject({ kind: z.literal('reset'), when: deliveryMoment }),
      z.strictObject({ kind: z.literal('malformed_json') }),
      z.strictObject(drift),
      z.strictObject({ kind: z.literal('tamper'), part: z.optional(z.enum(['signature', 'body'])) }),
      z.strictObject({ kind: z.literal('duplicate'), concurrent: z.optional(z.boolean()) }),
      z.strictObject({ kind: z.literal('reorder'), atMost: z.optional(duration) }),
    ],
    {
      error: unknownKind(
        'status, latency, stall, reset, malformed_json, drift, tamper, duplicate or reorder',
      ),
    },
  ),
);

/** Keeps a field with the name `__proto__`, which zod's own schema leaves out. */
function isJsonValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJsonValue);
  if (isJsonObject(value)) return Object.values(value).every(isJsonValue);
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

/** Zod has no useful message for a union without a matching branch. */
function unknownKind(kinds: string): (issue: z.core.$ZodRawIssue) => string | undefined {
  return ({ code }) => (code === 'invalid_union' ? `must be ${kinds}` : undefined);
}

const positive = z.int('must be a whole number').check(z.gte(1, 'must be one or more'));
const chance = 'must be a number from 0 to 1';

const selection = {
  nth: z.optional(positive),
  every: z.optional(positive),
  times: z.optional(positive),
  probability: z.optional(z.number().check(z.gte(0, chance), z.lte(1, chance))),
};

/** The possible subjects of a rule. */
export const ruledOperations = [...operationNames, 'any'];
export const ruledDeliveries = [...webhookEventTypes, 'any'];
export const ruledOperation = oneOf<OperationName | 'any'>(ruledOperations);
export const ruledDelivery = oneOf<WebhookEventType | 'any'>(ruledDeliveries);

/** A rule for requests. */
export const requestRule: Schema<RequestFaultRule> = z.lazy(() =>
  z.strictObject({
    ...selection,
    operation: ruledOperation,
    fault: requestFaultSchema,
  }),
);

/** A rule for deliveries. */
export const deliveryRule: Schema<DeliveryFaultRule> = z.lazy(() =>
  z.strictObject({
    ...selection,
    delivery: ruledDelivery,
    subscriptionId: z.optional(z.string().check(z.minLength(1))),
    fault: deliveryFaultSchema,
  }),
);

/** Checks a rule with the schema of its subject, so that the errors fit it. */
export function checkRule(value: unknown): Validation<FaultRule> {
  const has = (name: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  if (has('operation') && !has('delivery')) return validate(requestRule, value);
  if (has('delivery') && !has('operation')) return validate(deliveryRule, value);
  const unknown = Object.keys(Object(value)).filter((name) => !ruleFields.includes(name));
  const message = 'must have exactly one of operation and delivery';
  return {
    valid: false,
    problems: [...unknownFields(unknown, ruleFields), { field: '', message, kind: 'invalid' }],
  };
}

const ruleFields = [...Object.keys(selection), 'operation', 'delivery', 'subscriptionId', 'fault'];

/** A rule within a larger schema. */
export const faultRuleSchema: Schema<FaultRule> = z.pipe(
  z.unknown(),
  z.transform((value, context) => {
    const validation = checkRule(value);
    if (validation.valid) return validation.value;
    context.issues.push(...validation.problems.map((problem) => issueOf(problem, value)));
    return z.NEVER;
  }),
);

function issueOf({ field, message }: Problem, input: unknown): z.core.$ZodRawIssue {
  return { code: 'custom', path: field === '' ? [] : [field], message, input };
}

function oneOf<Name extends string>(known: readonly string[]): Schema<Name> {
  const names = new Set(known);
  return z.custom<Name>(
    (value) => typeof value === 'string' && names.has(value),
    `must be one of ${known.join(', ')}`,
  );
}

/** A rule with its counts and its random position. */
export type SavedRule = {
  readonly id: string;
  readonly rule: FaultRule;
  readonly matched: number;
  readonly injected: number;
  /** The position of its random numbers. */
  readonly random: readonly number[];
};

/** The state of a workspace's faults, from which they can resume. */
export type SavedFaults = {
  readonly randomSeed: number;
  /** How many streams of the seed are in use. */
  readonly streams: number;
  /** How many rules were ever added. The ids of rules follow from it. */
  readonly added: number;
  readonly randomOfHeaders: readonly number[];
  readonly rules: readonly SavedRule[];
};

const count = z.int('must be a whole number').check(z.gte(0, 'must be zero or more'));
const int32 = z.int32('must be a whole number of 32 bits');
const position = z.tuple([int32, int32, int32, int32], 'must be four whole numbers of 32 bits');

/** Saved faults from a file or a store. */
export const savedFaultsSchema: Schema<SavedFaults> = z.lazy(() =>
  z.strictObject({
    randomSeed: int32,
    streams: count,
    added: count,
    randomOfHeaders: position,
    rules: z.array(
      z.strictObject({
        id: z.string(),
        rule: faultRuleSchema,
        matched: count,
        injected: count,
        random: position,
      }),
    ),
  }),
);
