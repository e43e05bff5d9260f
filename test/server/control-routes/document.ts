import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ReferenceServer } from 'messaging-automation/server';
import { expect } from 'vitest';
import { type Answer, field } from '../support/reference.js';

/** An operation as the control surface's OpenAPI document has it. */
export interface DocumentedOperation {
  readonly method: string;
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly operation: object;
}

/** What a server says of its control surface. */
export async function documentOf(server: ReferenceServer): Promise<object> {
  const response = await server.fetch(new Request('http://localhost/control/openapi.json'));
  return Object(await response.json());
}

export function operationsIn(document: object): readonly DocumentedOperation[] {
  return Object.entries(Object(field(document, 'paths'))).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: Object(operation),
    })),
  );
}

/** What all servers say of it, and what holds answers to that. */
interface Known {
  readonly operations: readonly (DocumentedOperation & { readonly pattern: RegExp })[];
  readonly validator: Ajv2020;
}

let known: Promise<Known> | undefined;

async function learn(server: ReferenceServer): Promise<Known> {
  const document = await documentOf(server);
  return {
    operations: operationsIn(document)
      .map((each) => ({ ...each, pattern: patternOf(each.path) }))
      // What has no parameter goes before what has one.
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length),
    validator: new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'control'),
  };
}

/** Holds an answer to the document, where that has the path. */
export async function expectDocumented(
  server: ReferenceServer,
  method: string,
  path: string,
  { status, body }: Answer,
): Promise<void> {
  known ??= learn(server);
  const { operations, validator } = await known;
  const [asked = ''] = path.split('?');
  const found = operations.find((each) => each.method === method && each.pattern.test(asked));
  if (found === undefined) return;
  const response = field(field(found.operation, 'responses'), String(status));
  expect(response, `${method} ${path} may answer ${status}`).toBeDefined();
  const schema = field(field(field(response, 'content'), 'application/json'), 'schema');
  expect(body === undefined, `${method} ${path} answers ${status} without a body`).toBe(schema === undefined);
  if (schema === undefined) return;
  const named = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"control#/'));
  expect(validator.validate(named, body), validator.errorsText()).toBe(true);
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
