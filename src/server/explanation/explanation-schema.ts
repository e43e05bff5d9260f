import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { DeliveryCheck, DeliveryExplanation, ReceiversSide } from './explanation.js';

/** The schemas of an explanation over HTTP. */

const text = z.string();
const time = z.number();

const causeSchema = z.strictObject({
  cause: z.enum([
    'acknowledged',
    'not_attempted',
    'subscription_gone',
    'fault',
    'unreachable',
    'broken_answer',
    'timeout',
    'address_refused',
    'redirect',
    'clock',
    'wrong_secret',
    'parsed_body',
    'body_refused',
    'access_denied',
    'not_found',
    'too_large',
    'media_type',
    'busy',
    'receiver_failed',
    'refused',
  ]),
  certainty: z.enum(['certain', 'likely', 'possible']),
  explanation: text,
  advice: text,
});

export const deliveryExplanationSchema: Schema<DeliveryExplanation> = z.strictObject({
  deliveryId: text,
  status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
  signature: z.strictObject({
    header: text,
    sent: z.exactOptional(text),
    computed: z.exactOptional(text),
    matches: z.exactOptional(z.boolean()),
    secretEnding: z.exactOptional(text),
  }),
  clocks: z.strictObject({
    timestamp: z.exactOptional(time),
    machine: time,
    workspace: time,
    receiver: z.exactOptional(time),
  }),
  causes: z.array(causeSchema),
});

export const receiversSideSchema: Schema<ReceiversSide> = z.strictObject({
  secret: z.optional(text),
  body: z.optional(text),
});

export const deliveryCheckSchema: Schema<DeliveryCheck> = z.strictObject({
  verified: z.boolean(),
  findings: z.array(
    z.strictObject({
      fault: z.custom<DeliveryCheck['findings'][number]['fault']>((value) => typeof value === 'string'),
      proven: z.boolean(),
      explanation: text,
      advice: text,
    }),
  ),
});
