import * as z from 'zod/mini';
import { mapOf } from './map-schema.js';
import { phoneSchema } from './phone.js';
import { booleanSchema, nonEmptyString, type Schema } from './schema.js';

/**
 * What `transactional.send` takes (document §4, POST /v1/transactional).
 *
 * @example
 * ```ts
 * import type { SendInput } from 'messaging-automation';
 *
 * const input: SendInput = { phone: '+15551234567', templateId: 'order_update', variables: { '1': 'Ada' } };
 * ```
 */
export interface SendInput {
  /** The E.164 phone number of an existing contact. */
  readonly phone: string;
  /** The template's id, as `templates.list()` gives it. */
  readonly templateId: string;
  /** The value of each numbered placeholder, by its number as a string. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/**
 * What `transactional.send` returns (document §4, POST /v1/transactional).
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type SendResult } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * await messaging.contacts.upsert({ phone: '+15551234567' });
 * const result: SendResult = await messaging.transactional.send({
 *   phone: '+15551234567',
 *   templateId: 'order_update',
 *   variables: { '1': 'Ada', '2': 'A-1001' },
 * });
 * console.log(result.success);
 * ```
 */
export interface SendResult {
  /** True when the service accepted the message. */
  readonly success: boolean;
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/** §2 Template, the values of its numbered placeholders. */
export const variablesSchema: Schema<Readonly<Record<string, string>>> = mapOf((value, name) => {
  if (!/^[1-9]\d*$/.test(name))
    return { path: [], message: 'must have the number of a placeholder as its name, such as "1"' };
  return typeof value === 'string' ? undefined : { path: [], message: 'must be a string' };
});

/** §4 POST /v1/transactional, the body. */
export const sendSchema: Schema<SendInput> = z.strictObject({
  phone: phoneSchema,
  templateId: nonEmptyString,
  variables: z.optional(variablesSchema),
});

/** §4 POST /v1/transactional, the answer. */
export const sendResultSchema: Schema<SendResult> = z.looseObject({ success: booleanSchema });
