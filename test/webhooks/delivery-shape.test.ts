import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type DeliveryFieldKind, deliveryFields, webhookEventTypes } from '../../src/contract/delivery.js';
import { validate } from '../../src/contract/schema.js';
import { isTimestamp } from '../../src/contract/timestamp.js';
import { factsOf } from '../../src/contract/webhook-events.js';
import { problemsOfDelivery } from '../../src/webhooks/verification/delivery.js';
import { messageDelivery } from './delivery-body.js';

// The verifier checks the contract's tables by itself, without a schema library.
const kinds: Readonly<Record<DeliveryFieldKind, z.ZodMiniType>> = {
  string: z.string(),
  'optional string': z.optional(z.string()),
  timestamp: z.stringFormat('date-time', isTimestamp),
  object: z.record(z.string(), z.unknown()),
};

const shapeOf = (fields: Readonly<Record<string, DeliveryFieldKind>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, kinds[kind]]));

/** A field's value: often right, often not, often not there. */
const values = fc.oneof(
  fc.string(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(undefined, null, '2026-01-02T03:04:05Z', '2026-01-02', '2026-13-02T03:04:05.000Z', []),
  fc.object({ maxDepth: 0 }),
  fc.integer(),
);
const recordOf = (fields: object) =>
  fc.record(Object.fromEntries(Object.keys(fields).map((name) => [name, values])), { requiredKeys: [] });

test.each(webhookEventTypes)(
  'a delivery of %s has the same fields wrong for the verifier and for a schema of the table',
  (event) => {
    const data = z.looseObject(shapeOf(factsOf(event).dataFields));
    const schema = z.looseObject({ ...shapeOf(deliveryFields), event: z.literal(event), data });
    const deliveries = fc
      .tuple(recordOf(deliveryFields), fc.oneof(values, recordOf(factsOf(event).dataFields)))
      .map(([envelope, data]) => ({ ...messageDelivery, ...envelope, event, data }));

    fc.assert(
      fc.property(deliveries, (delivery) => {
        const validation = validate(schema, delivery);
        const expected = validation.valid ? [] : validation.problems.map(({ field }) => field);
        expect(problemsOfDelivery(delivery).map(({ field }) => field)).toEqual(expected);
      }),
    );
  },
);

test.each(['contact.opted_in', 'contact.opted_out'])(
  'a delivery of %s may hold any object as data',
  (event) => {
    const envelope = { event, workspaceId: 'workspace_1', timestamp: '2026-01-02T03:04:05.678Z' };
    const problemsOf = (data: unknown) => problemsOfDelivery({ ...envelope, data });
    expect(problemsOf({ anything: [1] })).toEqual([]);
    expect(problemsOf('text')).toEqual([{ field: 'data', message: 'must be an object' }]);
    expect(problemsOf({ contactId: 'contact_1' })).toEqual([]);
    expect(problemsOf({ contactId: 7 })).toEqual([{ field: 'data.contactId', message: 'must be a string' }]);
  },
);
