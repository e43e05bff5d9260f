import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryDataFields, deliveryFields, webhookEventTypes } from '../../src/contract/delivery.js';
import { deliverySchemas } from '../../src/contract/delivery-schemas.js';
import { type Schema, validate } from '../../src/contract/schema.js';
import { problemsOfDelivery } from '../../src/webhooks/verification/delivery.js';
import { messageDelivery } from './delivery-body.js';

// The verifier reads the contract's tables by itself, without the schemas that are made of them.

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
  'a delivery of %s has the same fields wrong for the verifier and for the schema',
  (event) => {
    const schema: Schema<object> = deliverySchemas[event];
    const deliveries = fc
      .tuple(recordOf(deliveryFields), fc.oneof(values, recordOf(deliveryDataFields[event])))
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
