import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ReferenceServer } from 'messaging-automation/server';
import { field, type HttpResponse } from './reference.js';

/** An operation as an OpenAPI document describes it. */
export type DescribedOperation = ReturnType<typeof describedBy>;

/** Reads a server's OpenAPI document. */
export async function documentOf(
  server: ReferenceServer,
  path: '/openapi.json' | '/control/openapi.json',
): Promise<object> {
  return Object(await (await server.fetch(new Request(`http://localhost${path}`))).json());
}

export function operationsIn(document: object): readonly DescribedOperation[] {
  const checkAt = checksOf(document);
  return Object.entries(Object(field(document, 'paths'))).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) =>
      describedBy(method, path, Object(operation), (...steps) => checkAt('paths', path, method, ...steps)),
    ),
  );
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

function describedBy(method: string, path: string, operation: object, checkAt: CheckAt) {
  const responseOf = (status: number): unknown => field(field(operation, 'responses'), String(status));
  const headersOf = (status: number) => Object.keys(Object(field(responseOf(status), 'headers')));
  return {
    id: field(operation, 'operationId'),
    method: method.toUpperCase(),
    path,
    operation,
    /** Whether the schema of the request's body accepts a value. */
    acceptsBody: (body: unknown) => checkAt('requestBody', 'content', 'application/json', 'schema')(body),
    /** Whether the schema of a required parameter accepts a value. */
    acceptsParameter(name: string, value: string) {
      const parameters = Object.values<unknown>(Object(field(operation, 'parameters')));
      const index = parameters.findIndex((parameter) => field(parameter, 'name') === name);
      return checkAt('parameters', index, 'schema')(value);
    },
    /** The headers that the document has for a response with this status. */
    headersOf,
    /** What in a response differs from the document. Empty if nothing does. */
    differences({ status, headers, body }: HttpResponse): readonly string[] {
      if (responseOf(status) === undefined) return [`the status ${status}`];
      const wrongHeaders = headersOf(status).filter((name) => {
        const value = headers.get(name);
        return value !== null && !checkAt('responses', status, 'headers', name, 'schema')(value);
      });
      const hasContent = field(field(responseOf(status), 'content'), 'application/json') !== undefined;
      const hasBody = body !== undefined;
      const isWrong =
        hasContent !== hasBody ||
        (hasBody && !checkAt('responses', status, 'content', 'application/json', 'schema')(body));
      return [...wrongHeaders.map((name) => `the header ${name}`), ...(isWrong ? ['the body'] : [])];
    },
  };
}
