import * as z from 'zod/mini';
import { type OperationName, operationNames } from '../../contract/operation-name.js';
import { type Problem, type Schema, type Validation, validate } from '../../contract/schema.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { DeliveryFaultRule, FaultRule, RequestFaultRule } from '../model/fault-rule.js';
import { deliveryFaultSchema, requestFaultSchema } from './fault-schemas.js';

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
export const requestRule: Schema<RequestFaultRule> = z.strictObject({
  ...selection,
  operation: ruledOperation,
  fault: requestFaultSchema,
});

/** A rule for deliveries. */
export const deliveryRule: Schema<DeliveryFaultRule> = z.strictObject({
  ...selection,
  delivery: ruledDelivery,
  subscriptionId: z.optional(z.string().check(z.minLength(1))),
  fault: deliveryFaultSchema,
});

/** Checks a rule with the schema of its subject, so that the errors fit it. */
export function checkRule(value: unknown): Validation<FaultRule> {
  const has = (name: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  if (has('operation') && !has('delivery')) return validate(requestRule, value);
  if (has('delivery') && !has('operation')) return validate(deliveryRule, value);
  const message = 'must have exactly one of operation and delivery';
  return { valid: false, problems: [{ field: '', message, kind: 'invalid' }] };
}

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
