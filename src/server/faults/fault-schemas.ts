import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { driftChanges } from '../model/drift.js';
import type { DeliveryFault, RequestFault } from '../model/fault.js';
import { type Duration, isDuration, wantedDuration } from '../time/duration.js';

export const duration: z.ZodMiniType<Duration> = z.custom<Duration>(isDuration, wantedDuration);
export const jsonValue = z.json();
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
export const requestFaultSchema: Schema<RequestFault> = z.discriminatedUnion(
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
);

/** A fault of a delivery attempt, from a file or a program. */
export const deliveryFaultSchema: Schema<DeliveryFault> = z.discriminatedUnion(
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
    error: unknownKind('status, latency, stall, reset, malformed_json, drift, tamper, duplicate or reorder'),
  },
);

/** Zod has no useful message for a union without a matching branch. */
function unknownKind(kinds: string): (issue: z.core.$ZodRawIssue) => string | undefined {
  return ({ code }) => (code === 'invalid_union' ? `must be ${kinds}` : undefined);
}
