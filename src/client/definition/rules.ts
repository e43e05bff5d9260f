import { operations } from '../../contract/operations.js';
import { fieldPath } from '../../contract/schema.js';
import { isObject } from '../../foundation/is-object.js';
import type { FieldProblem } from '../../foundation/options.js';
import { steersFramework } from '../../foundation/steering.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import type {
  Body,
  StandardResult,
  StandardSchema,
  TemplateDefinition,
  WorkspaceDefinition,
  WorkspaceRules,
} from './workspace-definition.js';

/** Checks the body of a request, and converts it into the one to send. */
type Preparation = (body: Body) => Validated<Body> | Promise<Validated<Body>>;

/** Builds the checks of each call from a definition. Omitted parts have no checks. */
export function createRules({ properties, events, templates }: WorkspaceDefinition): WorkspaceRules {
  const ofContacts = Object.values(operations.contacts).map(({ name }) => name);
  const schemas = properties && new Map(Object.entries(properties));
  const preparations = new Map<string, Preparation | undefined>([
    [operations.events.track.name, events && eventPreparation(new Map(Object.entries(events)))],
    [operations.transactional.send.name, templates && sendPreparation(new Map(Object.entries(templates)))],
  ]);
  for (const name of ofContacts) preparations.set(name, schemas && contactPreparation(schemas));
  return {
    async prepare(operation, request, redact) {
      const prepareBody = preparations.get(operation);
      if (prepareBody === undefined || !isObject(request.body)) return request;
      const { value: body, problems } = await prepareBody(request.body);
      if (problems.length === 0) return { ...request, body };
      // A schema's message may quote the value.
      const cleaned = problems.map(({ field, message }) => ({
        field: redact(field),
        message: redact(message),
      }));
      throw new InvalidInputError(operation, cleaned);
    },
    inspect: async (operation, result) =>
      schemas && ofContacts.includes(operation) ? inspectProperties(schemas, result) : [],
  };
}

/** A schema for each property, or for the properties of each event, by name. */
type Schemas = ReadonlyMap<string, StandardSchema>;

/** Validates each given property with its schema. Omitted properties stay omitted: an update must not set them. */
function contactPreparation(schemas: Schemas): Preparation {
  return async (body) => {
    if (!isObject(body.properties)) return { value: body, problems: [] }; // the contract's schema reports it
    const prepared = await Promise.all(
      Object.entries(body.properties).map(async ([name, value]) => ({
        name,
        ...(await prepareProperty(schemas, name, value)),
      })),
    );
    const properties = Object.fromEntries(prepared.map(({ name, value }) => [name, value]));
    const problems = prepared.flatMap(({ problems }) => problems);
    return { value: { ...body, properties: withoutUndefined(properties) }, problems };
  };
}

async function prepareProperty(schemas: Schemas, name: string, value: unknown): Promise<Validated> {
  const path = ['properties', name];
  const schema = schemas.get(name);
  const validated = schema && (await validateValue(schema, value, path));
  // `undefined` omits the property, unless its schema has a default.
  if (value === undefined && (!validated || validated.problems.length > 0)) return { value, problems: [] };
  if (validated) return validated;
  // The service returns `phone` with every contact, so properties copied from a contact contain it.
  if (name === 'phone') return { value, problems: [] };
  return refusal(value, path, 'is not a property of the workspace; remove it or check its spelling');
}

/**
 * The properties of a contact that do not match their schemas: a value that the schema rejects or changes. It omits the
 * messages of the schemas, because they may quote the value.
 */
async function inspectProperties(schemas: Schemas, contact: unknown): Promise<readonly FieldProblem[]> {
  if (!isObject(contact) || !isObject(contact.properties)) return [];
  const inspected = await Promise.all(
    Object.entries(contact.properties).map(async ([name, value]) => {
      const schema = schemas.get(name);
      if (schema === undefined) return [];
      const path = ['properties', name];
      const read = await validateValue(schema, value, path);
      if (read.problems.length > 0)
        return problemAt(path, 'does not fit its schema in the workspace, which must accept its own output');
      // A property is a string, a number, a boolean or an array of strings.
      if (JSON.stringify(read.value) === JSON.stringify(value)) return [];
      return problemAt(path, 'differs from what its schema in the workspace writes');
    }),
  );
  return inspected.flat();
}

/** Validates the event's properties with its schema. Without properties, it validates an empty object. */
function eventPreparation(schemas: Schemas): Preparation {
  return async (body) => {
    const { event, properties = {} } = body;
    if (typeof event !== 'string') return { value: body, problems: [] }; // the contract's schema reports it
    const schema = schemas.get(event);
    if (schema === undefined)
      return refusal(body, ['event'], `is not an event of the workspace, which has ${listed(schemas)}`);
    const given = isObject(properties) ? withoutUndefined(properties) : properties;
    const { value, problems } = await validateValue(schema, given, ['properties']);
    return { value: { ...body, properties: value }, problems };
  };
}

/** Translates a template's name and its named variables into the id and the numbers that the service expects. */
function sendPreparation(templates: ReadonlyMap<string, TemplateDefinition>): Preparation {
  return (body) => {
    const { template: name, variables = {}, ...rest } = body;
    if (name === undefined) return { value: body, problems: [] }; // sent by id, as without a workspace
    if (rest.templateId !== undefined)
      return refusal(body, ['templateId'], 'must not be combined with template: name it by one of the two');
    const template = typeof name === 'string' ? templates.get(name) : undefined;
    if (template === undefined)
      return refusal(
        body,
        ['template'],
        `is not a template of the workspace, which has ${listed(templates)}`,
      );
    if (!isObject(variables)) return refusal(body, ['variables'], 'must be an object');
    const names = template.variables ?? [];
    const numbered = names.map((variable, index) => [`${index + 1}`, variables[variable]]);
    const sent = names.length > 0 && { variables: Object.fromEntries(numbered) };
    const problems = problemsWithVariables(names, variables);
    return { value: { ...rest, templateId: template.id, ...sent }, problems };
  };
}

function problemsWithVariables(names: readonly string[], variables: Body): readonly FieldProblem[] {
  const missing = names
    .filter((name) => typeof variables[name] !== 'string')
    .map((name) => ({ field: `variables.${name}`, message: 'is required and must be a string' }));
  const unknown = Object.keys(withoutUndefined(variables))
    .filter((name) => !names.includes(name))
    .map((name) => ({
      field: `variables.${name}`,
      message: 'is not a variable of this template in the workspace; remove it or check its spelling',
    }));
  return [...missing, ...unknown];
}

function listed(entries: ReadonlyMap<string, unknown>): string {
  return [...entries.keys()].join(', ') || 'none';
}

/** What to send; if there are problems, the given value. */
export interface Validated<Value = unknown> {
  readonly value: Value;
  readonly problems: readonly FieldProblem[];
}

/** Validates the value at `path` of the input with a schema. Does not reject if the schema throws, unless it steers a framework. */
export async function validateValue(
  schema: StandardSchema,
  value: unknown,
  path: readonly PropertyKey[],
): Promise<Validated> {
  let result: StandardResult<unknown>;
  try {
    result = await schema['~standard'].validate(value);
  } catch (thrown) {
    if (steersFramework(thrown)) throw thrown;
    // The thrown error may contain the value, and is a bug of the schema.
    return refusal(value, path, 'could not be checked: its schema in the workspace threw an error');
  }
  if (result.issues === undefined) return { value: result.value, problems: [] };
  if (result.issues.length === 0) return refusal(value, path, 'is refused by its schema in the workspace');
  const problems = result.issues.map((issue) => ({
    // The path of arktype is a special array, so only iterate it.
    field: fieldPath([...path, ...Array.from(issue.path ?? [], keyOf)]),
    message: `is refused by its schema in the workspace: ${issue.message}`,
  }));
  return { value, problems };
}

/** Rejects the value at this path. */
export function refusal<Value>(
  value: Value,
  path: readonly PropertyKey[],
  message: string,
): Validated<Value> {
  return { value, problems: problemAt(path, message) };
}

function problemAt(path: readonly PropertyKey[], message: string): readonly FieldProblem[] {
  return [{ field: fieldPath(path), message }];
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === 'object' ? segment.key : segment;
}

/** The fields that JSON contains: it omits those that are `undefined`. */
export function withoutUndefined(fields: Body): Body {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // A schema may require an instance of a class.
  return given.length === Object.keys(fields).length ? fields : Object.fromEntries(given);
}
