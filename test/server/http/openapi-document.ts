import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ReferenceServer } from 'messaging-automation/server';
import { type Answer, field } from '../support/reference.js';

/** An operation of a server's OpenAPI document, with its schemas as checks. */
export interface DescribedOperation {
  readonly method: string;
  /** Relative to the base URL, with `{name}` for a parameter. */
  readonly path: string;
  /** Whether the schema of the request body accepts a value. */
  acceptsBody(body: unknown): boolean;
  /** Whether the schema of a required parameter accepts a value. */
  acceptsParameter(name: string, value: string): boolean;
  /** The headers that the document has for an answer with this status. */
  headersOf(status: number): readonly string[];
  /** What in an answer differs from the document. Empty if nothing does. */
  differences(answer: Answer): readonly string[];
}

/** Reads the operations from a server's OpenAPI document. Gives each by its id. */
export async function describedOperations(
  server: ReferenceServer,
): Promise<(id: string) => DescribedOperation> {
  const response = await server.fetch(new Request('http://localhost/openapi.json'));
  const document: unknown = await response.json();
  const checkAt = checksOf(Object(document));
  const operations = new Map(
    Object.entries(Object(field(document, 'paths'))).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, operation]) => [
        field(operation, 'operationId'),
        describedBy(method, path, operation, (...steps) => checkAt('paths', path, method, ...steps)),
      ]),
    ),
  );
  return (id) => {
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`The document has no operation ${id}.`);
    return operation;
  };
}

/** The check of the schema at a place. */
type CheckAt = (...steps: readonly (string | number)[]) => ValidateFunction;

function checksOf(document: object): CheckAt {
  const validator = new Ajv2020({ strict: false });
  formats.default(validator);
  validator.addSchema(document, 'document');
  const checks = new Map<string, ValidateFunction>();
  return (...steps) => {
    const path = steps.map((step) => encodeURIComponent(String(step).replaceAll('/', '~1'))).join('/');
    const check = checks.get(path) ?? validator.compile({ $ref: `document#/${path}` });
    checks.set(path, check);
    return check;
  };
}

function describedBy(method: string, path: string, operation: unknown, checkAt: CheckAt): DescribedOperation {
  const responseOf = (status: number): unknown => field(field(operation, 'responses'), String(status));
  const headersOf = (status: number) => Object.keys(Object(field(responseOf(status), 'headers')));
  return {
    method: method.toUpperCase(),
    path,
    acceptsBody: (body) => checkAt('requestBody', 'content', 'application/json', 'schema')(body),
    acceptsParameter(name, value) {
      const parameters = Object.values<unknown>(Object(field(operation, 'parameters')));
      const index = parameters.findIndex((parameter) => field(parameter, 'name') === name);
      return checkAt('parameters', index, 'schema')(value);
    },
    headersOf,
    differences({ status, headers, body }) {
      if (responseOf(status) === undefined) return [`the status ${status}`];
      const wrongHeaders = headersOf(status).filter((name) => {
        const value = headers.get(name);
        return value !== null && !checkAt('responses', status, 'headers', name, 'schema')(value);
      });
      const hasContent = field(responseOf(status), 'content') !== undefined;
      const hasBody = body !== undefined;
      const isWrong =
        hasContent !== hasBody ||
        (hasBody && !checkAt('responses', status, 'content', 'application/json', 'schema')(body));
      return [...wrongHeaders.map((name) => `the header ${name}`), ...(isWrong ? ['the body'] : [])];
    },
  };
}
