import { errorsOfBodies } from './error.js';
import { operation } from './operation.js';
import { phoneSchema } from './phone.js';
import {
  booleanSchema,
  looseObject,
  mapOf,
  nonEmptyString,
  optional,
  type Schema,
  strictObject,
} from './schema.js';

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
  /** True if an earlier call with the same `idempotencyKey` has sent the message, and this one sent nothing. Set by the client. */
  readonly replayed?: true;
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

/** The operations of /v1/transactional. */
export const transactionalOperations = {
  send: operation<{ body: SendInput }, SendResult, 'sent'>({
    name: 'transactional.send',
    method: 'POST',
    path: '/v1/transactional',
    request: { body: sendSchema },
    successes: { sent: 200 },
    result: { kind: 'record', schema: sendResultSchema, envelopes: ['data'], confirmedBy: 'success' },
    notShown: [],
    errors: [
      {
        code: 'quota_exceeded',
        condition: "The plan's conversation quota and add-on credits are exhausted.",
        shown: 'status and code',
      },
      { code: 'not_found', condition: 'No contact has the given phone.', shown: 'status and code' },
      {
        code: 'send_failed',
        condition: 'The provider rejected the send: template not approved, bad variables, or provider issue.',
        shown: 'status and code',
      },
      ...errorsOfBodies,
    ],
    repeatable: false, // a second send is a second message, and a second conversation off the quota
  }),
};
