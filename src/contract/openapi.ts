import type {
  ComponentsObject,
  HeadersObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from 'openapi3-ts/oas31';
import { deliveryRetries, deliveryTimeout, signatureHeader, webhookEventTypes } from './delivery.js';
import { errorStatuses, errorsOfAnyOperation, type OperationError } from './error.js';
import { errorBodySchema } from './error-body.js';
import {
  capitalised,
  componentSchemas,
  referenceToDelivery,
  schemaOrReference,
  shownResults,
} from './openapi-components.js';
import { type JsonSchema, json, pathsOf } from './openapi-writer.js';
import type { AnyOperation } from './operation.js';
import type { OperationName } from './operation-name.js';
import { operationList } from './operations.js';
import { secretPrefix } from './secret-prefix.js';

/** One sentence about each operation. Not part of `operations`: the client does not need it. */
const summaries: Readonly<Record<string, string>> = {
  'contacts.upsert': 'Creates the contact with this phone, or updates it.',
  'contacts.find': 'Finds the contact with this phone.',
  'contacts.get': 'Returns the contact with this id.',
  'contacts.update': 'Changes the properties that are sent. All others stay as they are.',
  'contacts.delete': 'Deletes the contact with its properties, events and segment memberships, irreversibly.',
  'transactional.send':
    'Sends an approved template message to one existing contact. Counts against the quota.',
  'events.track': 'Records an event for a contact. Processing is asynchronous.',
  'webhooks.create': 'Creates a subscription. The response has its secret.',
  'webhooks.list': 'Lists the subscriptions.',
  'webhooks.delete': 'Deletes the subscription with this id.',
  'templates.list': 'Lists the templates, whose ids are used as templateId.',
} satisfies Record<OperationName, string>;

/** An operation with an id and without references to its parts. */
interface DescribedOperation extends OperationObject {
  operationId: string;
  parameters?: ParameterObject[];
  responses: Record<string, ResponseObject>;
}

type DescribedPath = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', DescribedOperation>>;

/** The parts of an OpenAPI 3.1 document that describe this service. */
export interface OpenApiDocument extends OpenAPIObject {
  paths: Record<string, DescribedPath>;
  webhooks: Record<string, { post: DescribedOperation }>;
  components: ComponentsObject & { schemas: Record<string, JsonSchema> };
}

/**
 * Describes the service as an OpenAPI 3.1 document, from the table of operations and the schemas.
 *
 * If the service's own document does not show something, this document describes the reference server and says "not shown in the
 * document", so that readers know what the service promises.
 */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Messaging Automation Service API',
      version: 'v1',
      description:
        'Contacts, template sends, event tracking and webhook subscriptions. "Not shown in the document" ' +
        "marks what the service's document leaves open. There, this description shows the choice of the reference server. " +
        'The reference server also refuses query parameters that are not named here, and a field named `__proto__` ' +
        'at any depth of a body.',
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'Your deployment. The base URL includes the /api prefix (§4).',
        variables: { baseUrl: { default: 'http://127.0.0.1:4010/api' } },
      },
    ],
    security: [{ apiKey: [] }],
    tags: [...new Set(operationList.map(resourceOf))].map((name) => ({ name })),
    paths: pathsOf(operationList, describeOperation),
    webhooks: webhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: componentSchemas(),
    },
  };
}

function describeOperation(operation: AnyOperation): DescribedOperation {
  const { body, ...rest } = operation.request;
  const parameters = [...parametersIn('path', rest.path), ...parametersIn('query', rest.query)];
  return {
    operationId: operation.name,
    summary: summaries[operation.name] ?? '',
    tags: [resourceOf(operation)],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(schemaOrReference(body)) } }),
    responses: { ...successes(operation), ...errors([...operation.errors, ...errorsOfAnyOperation]) },
  };
}

const resourceOf = ({ name }: AnyOperation) => name.slice(0, name.indexOf('.'));

function parametersIn(
  place: 'path' | 'query',
  part: AnyOperation['request']['path' | 'query'],
): ParameterObject[] {
  if (!part) return [];
  const { properties, required = [] } = schemaOrReference(part);
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(place === 'query' && { description: 'URL-encoded; a + is sent as %2B.' }),
    schema,
  }));
}

function successes(operation: AnyOperation): Record<string, ResponseObject> {
  const notShown =
    operation.notShown.length === 0
      ? ''
      : ` The ${operation.notShown.join(' and the ')} of a success: not shown in the document.`;
  return Object.fromEntries(
    Object.entries(operation.successes).map(([outcome, status]) => [
      String(status),
      { description: `${capitalised(outcome)}.${notShown}`, ...contentOf(operation) },
    ]),
  );
}

function contentOf({ name, result }: AnyOperation): Pick<ResponseObject, 'content'> {
  if (result.kind === 'nothing') return {};
  const schema = schemaOrReference(shownResults[name] ?? result.schema);
  if (result.kind === 'record') return { content: json(schema) };
  const [envelope] = result.envelopes;
  return { content: json({ type: 'object', properties: { [envelope]: schema }, required: [envelope] }) };
}

function errors(list: readonly OperationError[]): Record<string, ResponseObject> {
  const statuses = new Set(list.map(({ code }) => errorStatuses[code]));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const group = list.filter(({ code }) => errorStatuses[code] === status);
      return [
        String(status),
        {
          description: group.map(describeError).join('\n\n'),
          ...(status === errorStatuses.rate_limited && { headers: comeBack }),
          content: json(errorSchema(group)),
        },
      ];
    }),
  );
}

const comeBack: HeadersObject = {
  'Retry-After': {
    description:
      'When to come back: seconds, or an HTTP date. The reference server sends whole seconds. ' +
      'Not shown in the document.',
    schema: { type: 'string' },
  },
};

const notShownOfErrors = {
  'status and code': '',
  status: ' The code: not shown in the document.',
  nothing: ' Not shown in the document.',
} as const;

const describeError = ({ code, condition, shown }: OperationError) =>
  `\`${code}\`: ${condition}${notShownOfErrors[shown]}`;

function errorSchema(group: readonly OperationError[]): JsonSchema {
  const code: JsonSchema = { type: 'string', enum: [...new Set(group.map((error) => error.code))] };
  return {
    allOf: [
      schemaOrReference(errorBodySchema),
      { type: 'object', properties: { error: { type: 'object', properties: { code } } } },
    ],
  };
}

function webhooks(): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    webhookEventTypes.map((type) => [
      type,
      {
        post: {
          operationId: `deliveries.${type}`,
          summary: `The delivery of ${type} to a subscription's url.`,
          description: `Verify ${signatureHeader} over the raw body before you trust it (§6).`,
          security: [],
          parameters: [signatureParameter],
          requestBody: { required: true, content: json(referenceToDelivery(type)) },
          responses: acknowledgement,
        },
      },
    ]),
  );
}

const signatureParameter: ParameterObject = {
  name: signatureHeader,
  in: 'header',
  required: true,
  description:
    "The hexadecimal HMAC-SHA256 of the raw request body, keyed with the subscription's whole secret, " +
    `prefix ${secretPrefix} included.`,
  schema: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' },
};

const acknowledgement: Record<string, ResponseObject> = {
  '2XX': {
    description: `The receiver took the delivery, within ${deliveryTimeout / 1000} seconds (§6, §8).`,
  },
  default: {
    description:
      `A failed delivery, retried ${deliveryRetries} times with backoff (§8). ` +
      'The intervals: not shown in the document.',
  },
};
