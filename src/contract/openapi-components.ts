import * as z from 'zod/mini';
import {
  contactPropertiesSchema,
  contactSchema,
  propertyValueSchema,
  shownPhoneSchema,
  updateContactSchema,
  upsertContactSchema,
} from './contact.js';
import { type DeliveryFieldKind, deliveryFields } from './delivery.js';
import { errorBodySchema } from './error-body.js';
import { eventPropertiesSchema, maxEventDepth, trackResultSchema, trackSchema } from './event.js';
import { type JsonSchema, namedSchemas, reference, schemaIn, writing } from './openapi-writer.js';
import type { OperationName } from './operation-name.js';
import { phonePattern, phoneSchema } from './phone.js';
import { longestReceiverUrl, receiverUrlPattern } from './receiver-url.js';
import { booleanSchema, nonEmptyString } from './schema.js';
import { secretPrefix } from './secret-prefix.js';
import {
  createdSubscriptionSchema,
  createSubscriptionSchema,
  eventTypeSchema,
  eventTypesSchema,
  integerSchema,
  receiverUrlSchema,
  secretSchema,
  shownUrlSchema,
  subscriptionSchema,
} from './subscription.js';
import { templateSchema } from './template.js';
import { sendResultSchema, sendSchema, variablesSchema } from './transactional.js';
import { type WebhookEventType, webhookEventTypes } from './webhook-event-type.js';
import { factsOf } from './webhook-events.js';

/** The name and the description of a schema, and the keywords that zod cannot express. */
interface Component extends JsonSchema {
  readonly id: string;
  readonly description: string;
}

/** The response body of POST /v1/contacts. Unlike other responses, it is documented to contain the phone. */
const upsertedContactSchema = z.looseObject({
  id: z.string(),
  properties: z.catchall(z.object({ phone: phoneSchema }), propertyValueSchema),
});

/** The response bodies that the service documents in more detail than the client checks, by operation. */
export const shownResults: Readonly<Partial<Record<string, z.core.$ZodType>>> = {
  'contacts.upsert': upsertedContactSchema,
} satisfies Partial<Record<OperationName, z.core.$ZodType>>;

const onUnknownFields = 'That unknown fields are refused is not shown.';
const onRepeatedPhone =
  "`properties.phone` may only repeat the contact's phone. That another one is refused is not shown.";

const components = z
  .registry<Component>()
  .add(phoneSchema, { id: 'PhoneNumber', description: 'A phone number in E.164 format (§2).' })
  .add(contactSchema, { id: 'Contact', description: 'A contact of the workspace (§2).' })
  .add(upsertedContactSchema, {
    id: 'UpsertedContact',
    description: 'A contact as an upsert returns it, with its phone among the properties (§4).',
  })
  .add(upsertContactSchema, {
    id: 'UpsertContactInput',
    description: `A contact to create or update (§4). ${onUnknownFields} ${onRepeatedPhone}`,
  })
  .add(updateContactSchema, {
    id: 'UpdateContactInput',
    description: `The properties to change (§4). ${onUnknownFields} ${onRepeatedPhone}`,
  })
  .add(sendSchema, {
    id: 'SendInput',
    description: `A template message to one contact (§4). ${onUnknownFields}`,
  })
  .add(sendResultSchema, { id: 'SendResult', description: 'The response to a send (§4).' })
  .add(trackSchema, {
    id: 'TrackInput',
    description:
      'An event of one contact, named by contactId or by phone (§2, §4). ' +
      `${onUnknownFields} That both are refused is not shown.`,
  })
  .add(trackResultSchema, { id: 'TrackResult', description: 'The response to a tracked event (§4).' })
  .add(createSubscriptionSchema, {
    id: 'CreateWebhookInput',
    description:
      'A subscription to create (§4). Which fields are required is not shown; here both are. ' +
      onUnknownFields,
  })
  .add(createdSubscriptionSchema, {
    id: 'CreatedWebhookSubscription',
    description: 'A subscription with its secret, as the create response shows it (§2, §4).',
  })
  .add(subscriptionSchema, {
    id: 'WebhookSubscription',
    description: 'A subscription (§2). Whether a list shows the secret is not shown; here it does not.',
  })
  .add(templateSchema, {
    id: 'Template',
    description: 'An approved message template (§2). Its fields beyond the id are not shown.',
  })
  .add(errorBodySchema, {
    id: 'ErrorBody',
    description: 'What went wrong. The shape beyond the code is not shown (§7).',
  });

const phone: JsonSchema = { type: 'string', pattern: phonePattern.source };

const dateTime: JsonSchema = { type: 'string', format: 'date-time' };

const propertyValue: JsonSchema = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' } },
  ],
};

/** The keywords of our own checks, which zod cannot convert. */
const keywords = new Map<z.core.$ZodType, JsonSchema>([
  [nonEmptyString, { minLength: 1 }],
  [phoneSchema, phone],
  [shownPhoneSchema, phone],
  [booleanSchema, { type: 'boolean' }],
  [integerSchema, { type: 'integer' }],
  [secretSchema, { pattern: `^${secretPrefix}.*` }],
  [eventTypeSchema, { type: 'string', enum: [...webhookEventTypes] }],
  [eventTypesSchema, { minItems: 1 }],
  [propertyValueSchema, propertyValue],
  [
    receiverUrlSchema,
    {
      format: 'uri',
      maxLength: longestReceiverUrl,
      pattern: receiverUrlPattern.source,
      description:
        'An HTTPS endpoint (§4). Not shown: its form and its length, and which hosts are accepted. The reference ' +
        'server accepts those that its option `receiverAddresses` allows, where the host and the port can exist.',
    },
  ],
  [shownUrlSchema, { format: 'uri' }],
  [contactPropertiesSchema, { type: 'object', properties: { phone }, additionalProperties: propertyValue }],
  [
    eventPropertiesSchema,
    {
      type: 'object',
      additionalProperties: {},
      description: `Any payload (§2). At most ${maxEventDepth} levels deep; the limit is not shown.`,
    },
  ],
  [
    variablesSchema,
    {
      type: 'object',
      propertyNames: { pattern: '^[1-9][0-9]*$' },
      additionalProperties: { type: 'string' },
    },
  ],
]);

/** Adds the keywords of our own checks. */
export function describeChecks(schema: z.core.$ZodType, written: z.core.JSONSchema.BaseSchema): void {
  Object.assign(written, keywords.get(schema));
  // The format is enough: zod's own pattern has 200 characters.
  if (written.format === 'date-time') delete written.pattern;
}

/**
 * Adds the keywords of our own checks to a schema of the contract.
 *
 * @throws Error for a schema that refuses values, and for which the document would allow any.
 */
export function describeSchema(schema: z.core.$ZodType, written: z.core.JSONSchema.BaseSchema): void {
  describeChecks(schema, written);
  const refusal = Object.keys(written).length === 0 ? refusalOf(schema) : undefined;
  if (refusal === undefined) return;
  throw new Error(
    `The schema that says "${refusal}" has no JSON Schema, so the OpenAPI document would allow any value. Add its keywords in openapi-components.ts.`,
  );
}

/** What a schema says of a value that it refuses. Undefined if it takes a value of each kind. */
function refusalOf(schema: z.core.$ZodType): string | undefined {
  const results = [undefined, null, true, 0, '', [], {}].map((value) => z.safeParse(schema, value));
  return results.find(({ success }) => !success)?.error?.issues[0]?.message;
}

const params = writing(describeSchema);

/** The name of the schema of a delivery, as in `ContactOptedInEvent`. */
const nameOfDelivery = (type: WebhookEventType) => `${type.split(/[._]/).map(capitalised).join('')}Event`;

export const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns a reference to the schema of a delivery. */
export function referenceToDelivery(type: WebhookEventType): JsonSchema {
  return reference(nameOfDelivery(type));
}

function describeDelivery(type: WebhookEventType): JsonSchema {
  const { summary, dataFields } = factsOf(type);
  // The verifier accepts any text in the fields that the document shows.
  const shown = type === 'message.received' ? { phone, receivedAt: dateTime } : {};
  const data = describeFields(dataFields, shown);
  const event: JsonSchema = { type: 'string', const: type };
  return { ...describeFields(deliveryFields, { event, data }), description: summary };
}

/** An object with the fields of a table, and any others. `shown` has those that the service documents in more detail. */
function describeFields(
  fields: Readonly<Record<string, DeliveryFieldKind>>,
  shown: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const properties = Object.entries(fields).map(([name, kind]) => [name, shown[name] ?? fieldKinds[kind]]);
  const required = Object.keys(fields).filter((name) => fields[name] !== 'optional string');
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: {},
  };
}

const fieldKinds: Readonly<Record<DeliveryFieldKind, JsonSchema>> = {
  string: { type: 'string' },
  'optional string': { type: 'string' },
  timestamp: dateTime,
  object: { type: 'object' },
};

/** The named schemas of the contract, by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const described = Object.fromEntries(
    Object.entries(namedSchemas(components, params)).map(([name, { description = '', ...schema }]) => {
      if (name !== 'TrackInput') return [name, { ...schema, description }];
      const byContactId = alternative('TrackInputByContactId', schema, 'contactId', 'phone');
      const byPhone = alternative('TrackInputByPhone', schema, 'phone', 'contactId');
      return [name, { description, oneOf: [byContactId, byPhone] }];
    }),
  );
  const ofDeliveries = webhookEventTypes.map((type) => [nameOfDelivery(type), describeDelivery(type)]);
  return { ...described, ...Object.fromEntries(ofDeliveries) };
}

/**
 * Writes the schema of an object that has one of two fields as that of a whole object. Code generators convert such alternatives
 * to a union of types, but they convert alternatives with only `required` to `unknown`.
 */
function alternative(title: string, schema: JsonSchema, named: string, other: string): JsonSchema {
  const { [other]: _, ...properties } = schema.properties ?? {};
  return { title, ...schema, properties, required: [...(schema.required ?? []), named] };
}

/** Returns a schema of the contract's document. */
export function schemaOrReference(schema: z.core.$ZodType): JsonSchema {
  return schemaIn(components, params, schema);
}
