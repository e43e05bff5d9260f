import type { OpenAPIObject, OperationObject, ParameterObject, ResponseObject } from 'openapi3-ts/oas31';
import * as z from 'zod/mini';
import { errorBodySchema } from '../../../contract/error-body.js';
import { describeChecks } from '../../../contract/openapi-components.js';
import {
  type JsonSchema,
  json,
  namedSchemas,
  pathsOf,
  pointer,
  reference,
  schemaIn,
  writing,
} from '../../../contract/openapi-writer.js';
import type { Schema } from '../../../contract/schema.js';
import {
  deliveryRule,
  duration,
  faultRuleSchema,
  jsonValue,
  requestRule,
  ruledDeliveries,
  ruledDelivery,
  ruledOperation,
  ruledOperations,
} from '../../faults/fault-schemas.js';
import { instant } from '../../seed/fields.js';
import { journeySeedSchema } from '../../seed/journey-seed.js';
import { segmentSeedSchema } from '../../seed/segment-seed.js';
import { allSpecGapsSchema, specGapsSchema } from '../../seed/spec-gaps-schema.js';
import { templateSeedSchema, workspaceSeedSchema } from '../../seed/workspace-seed.js';
import {
  controlOperationList,
  controlOperations,
  openControlOperations,
} from '../../subjects/control-operations.js';
import { faultOfDelivery } from '../../subjects/deliveries/explanation/explanation.js';
import type { AnyControlOperation } from '../../subjects/operation.js';
import * as shapes from '../../subjects/shapes.js';
import { snapshotSchema } from '../../subjects/workspace.js';
import { contactProperties, eventProperties } from '../../workspace/state-schema.js';

/** The named schemas of the document. */
const components = z
  .registry<{ readonly id: string }>()
  .add(workspaceSeedSchema, { id: 'WorkspaceSeed' })
  .add(templateSeedSchema, { id: 'TemplateSeed' })
  .add(segmentSeedSchema, { id: 'SegmentSeed' })
  .add(journeySeedSchema, { id: 'JourneySeed' })
  .add(faultRuleSchema, { id: 'FaultRule' })
  .add(requestRule, { id: 'RequestFaultRule' })
  .add(deliveryRule, { id: 'DeliveryFaultRule' })
  .add(jsonValue, { id: 'JsonValue' })
  .add(specGapsSchema, { id: 'SpecGapsChange' })
  .add(allSpecGapsSchema, { id: 'SpecGaps' })
  .add(snapshotSchema, { id: 'WorkspaceSnapshot' })
  .add(shapes.sendSchema, { id: 'Send' })
  .add(shapes.eventSchema, { id: 'Event' })
  .add(shapes.deliverySchema, { id: 'Delivery' })
  .add(shapes.journeyRunSchema, { id: 'JourneyRun' })
  .add(shapes.contactSchema, { id: 'Contact' })
  .add(shapes.templateSchema, { id: 'Template' })
  .add(shapes.entrySchema, { id: 'JournalEntry' })
  .add(resultOf(controlOperations.faults.add), { id: 'Fault' })
  .add(shapes.managedWebhookResponseSchema, { id: 'ManagedWebhook' })
  .add(errorBodySchema, { id: 'ErrorBody' });

function resultOf<Result>({
  name,
  result,
}: {
  readonly name: string;
  readonly result?: Schema<Result>;
}): Schema<Result> {
  if (result === undefined) throw new Error(`The operation ${name} has no result.`);
  return result;
}

/** The kinds of fault rules, by their references. */
const rules = new Map<string, z.core.$ZodType>([
  [pointer('RequestFaultRule'), requestRule],
  [pointer('DeliveryFaultRule'), deliveryRule],
]);

const durationText = String.raw`^\d+(\.\d+)?(ms|s|m|h|d)$`;

/** An object with any names. */
const anyProperties: JsonSchema = { type: 'object', additionalProperties: {} };

/** Replacements for the schemas that zod can only describe as any value. */
const written = new Map<z.core.$ZodType, JsonSchema>([
  [
    duration,
    {
      anyOf: [
        { type: 'number', minimum: 0 },
        { type: 'string', pattern: durationText },
      ],
    },
  ],
  [jsonValue, { description: 'Any JSON value.' }],
  [contactProperties, anyProperties],
  [eventProperties, anyProperties],
  [faultOfDelivery, { type: 'string' }],
  [shapes.wholeNumber, { type: 'integer', minimum: 0 }],
  [shapes.waitSchema, { type: 'string', pattern: durationText }],
  [instant, { anyOf: [{ type: 'integer' }, { type: 'string', format: 'date-time' }] }],
  [ruledOperation, { type: 'string', enum: ruledOperations }],
  [ruledDelivery, { type: 'string', enum: ruledDeliveries }],
  [faultRuleSchema, { anyOf: [reference('RequestFaultRule'), reference('DeliveryFaultRule')] }],
  [
    journeySeedSchema,
    {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1 },
        event: { type: 'string', minLength: 1 },
        steps: { type: 'array', minItems: 1, items: reference('JourneyStep') },
      },
      required: ['id', 'event', 'steps'],
      additionalProperties: false,
    },
  ],
]);

/** Written by hand, because steps nest, and zod would repeat the schema for each depth. */
const steps: JsonSchema = { type: 'array', minItems: 1, items: reference('JourneyStep') };
const journeyStep: JsonSchema = {
  description: 'A wait, a branch or a send.',
  oneOf: [
    closed({ wait: written.get(duration) ?? {} }, ['wait']),
    closed({ branch: { type: 'object' }, do: steps, else: steps }, ['branch']),
    closed(
      { send: { type: 'string', minLength: 1 }, variables: { type: 'object', additionalProperties: {} } },
      ['send'],
    ),
  ],
};

function closed(properties: Readonly<Record<string, JsonSchema>>, required: string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const params = writing((schema, described) => {
  const replacement = written.get(schema);
  if (replacement === undefined) return describeChecks(schema, described);
  for (const keyword of Object.keys(described)) Reflect.deleteProperty(described, keyword);
  Object.assign(described, replacement);
});

/** Generates the OpenAPI 3.1 document of the control surface from its table and the schemas. */
export function controlDocument(): OpenAPIObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Control surface of the reference server',
      version: 'v1',
      description:
        'Controls a workspace of the reference server of messaging-automation. The real service has none of these operations.',
    },
    servers: [{ url: '/', description: 'This server.' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(controlOperationList.map(subjectOf))].map((name) => ({ name })),
    paths: pathsOf(controlOperationList, described),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { ...namedSchemas(components, params), JourneyStep: journeyStep },
    },
  };
}

/** The JSON Schema of a value, without references and without a document around it. */
export function selfContainedSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema, $defs = {}, ...inline } = z.toJSONSchema(schema, params);
  return JSON.parse(JSON.stringify(inline), (_, value) => {
    const { $ref }: { readonly $ref?: unknown } = Object(value);
    if (typeof $ref !== 'string') return value;
    const rule = rules.get($ref);
    return rule === undefined ? $defs[$ref.replace('#/$defs/', '')] : selfContainedSchema(rule);
  });
}

const schemaOf = (schema: z.core.$ZodType): JsonSchema => schemaIn(components, params, schema);

function described(operation: AnyControlOperation): OperationObject {
  const { name, summary, path, query = {}, body } = operation;
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(
      ([, parameter = '']): ParameterObject => ({
        name: parameter,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }),
    ),
    ...Object.entries(query).map(
      ([parameter, { schema, description }]): ParameterObject => ({
        name: parameter,
        in: 'query',
        required: !z.safeParse(schema, undefined).success,
        description,
        schema: schemaOf(schema),
      }),
    ),
  ];
  return {
    operationId: name,
    summary,
    tags: [subjectOf(operation)],
    ...(openControlOperations.has(name) && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(schemaOf(body)) } }),
    responses: responsesOf(operation),
  };
}

function responsesOf({
  name,
  status,
  result,
  stream,
  body,
  refusals = {},
}: AnyControlOperation): Record<string, ResponseObject> {
  const isOpen = openControlOperations.has(name);
  const failures: Readonly<Record<number, string>> = {
    ...(!isOpen && { 401: 'The API key is missing or invalid.' }),
    ...(!isOpen && { 400: 'The request is invalid. The message names each problem.' }),
    ...(body && {
      413: 'The body is larger than the limit.',
      415: 'The content type is not application/json.',
    }),
    ...refusals,
  };
  const success: JsonSchema | undefined = isOpen ? { type: 'object' } : result && schemaOf(result);
  return {
    [status]: {
      description: status === 204 ? 'Done.' : 'Success.',
      ...(success && { content: json(success) }),
      ...(stream && { content: { 'text/event-stream': { schema: { type: 'string' } } } }),
    },
    ...Object.fromEntries(
      Object.entries(failures).map(([code, description]) => [
        code,
        { description, content: json(reference('ErrorBody')) },
      ]),
    ),
  };
}

const subjectOf = ({ name }: AnyControlOperation) =>
  name.includes('.') ? name.slice(0, name.indexOf('.')) : 'workspace';
