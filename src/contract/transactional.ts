import { mapOf } from './map-schema.js';
import { phoneSchema } from './phone.js';
import { booleanSchema, looseObject, nonEmptyString, optional, type Schema, strictObject } from './schema.js';

/** The input of `transactional.send`. */
export interface SendInput {
  /** The phone number of an existing contact, in E.164 format. */
  readonly phone: string;
  /** The id of the template, from `templates.list()`. */
  readonly templateId: string;
  /** The values of the template's numbered placeholders: `{ '1': 'Ada' }` fills `{{1}}`. Default: none. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** The result of `transactional.send`. */
export interface SendResult {
  /** True when the service accepted the message. `undefined` if its response does not say so. */
  readonly success: boolean | undefined;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** The values of a template's numbered placeholders. */
export const variablesSchema: Schema<Readonly<Record<string, string>>> = mapOf((value, name) => {
  if (!/^[1-9]\d*$/.test(name))
    return { path: [], message: 'must have the number of a placeholder as its name, such as "1"' };
  return typeof value === 'string' ? undefined : { path: [], message: 'must be a string' };
});

/** The request body of POST /v1/transactional. */
export const sendSchema: Schema<SendInput> = strictObject({
  phone: phoneSchema,
  templateId: nonEmptyString,
  variables: optional(variablesSchema),
});

/** The response body of POST /v1/transactional. */
export const sendResultSchema: Schema<SendResult> = looseObject({ success: booleanSchema });
