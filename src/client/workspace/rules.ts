import { operations } from '../../contract/operations.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import { InvalidInputError } from '../errors/unanswered-errors.js';
import type { StandardSchema } from './standard-schema.js';
import { refusal, type Validated, validateValue, withoutUndefined } from './validate-value.js';
import type { Body, Prepared, TemplateDefinition, WorkspaceDefinition, WorkspaceRules } from './workspace.js';

interface OperationRules {
  readonly prepare?: (body: Body) => Prepared | Promise<Prepared>;
  readonly inspect?: (result: unknown) => Promise<readonly FieldProblem[]>;
}

/** Builds the checks of each call from a definition. Omitted parts have no checks. */
export function createRules(definition: WorkspaceDefinition): WorkspaceRules {
  const rules = new Map<string, OperationRules>([
    ...(definition.properties ? contactRules(definition.properties) : []),
    ...(definition.events ? eventRules(definition.events) : []),
    ...(definition.templates ? sendRules(definition.templates) : []),
  ]);
  return {
    async prepare(operation, request, redact) {
      const prepareBody = rules.get(operation)?.prepare;
      if (prepareBody === undefined || !isObject(request.body)) return request;
      const { body, problems } = await prepareBody(request.body);
      if (problems.length === 0) return { ...request, body };
      // A schema's message may quote the value.
      const cleaned = problems.map(({ field, message }) => ({
        field: redact(field),
        message: redact(message),
      }));
      throw new InvalidInputError(operation, cleaned);
    },
    async inspect(operation, result) {
      return (await rules.get(operation)?.inspect?.(result)) ?? [];
    },
  };
}

type Part<Name extends keyof WorkspaceDefinition> = NonNullable<WorkspaceDefinition[Name]>;
type Entries = readonly (readonly [string, OperationRules])[];

function contactRules(properties: Part<'properties'>): Entries {
  const schemas = new Map(Object.entries(properties));
  const { upsert, update, find, get } = operations.contacts;
  const prepare = (body: Body) => prepareProperties(schemas, body);
  const inspect = (contact: unknown) => inspectProperties(schemas, contact);
  return [
    [upsert.name, { prepare, inspect }],
    [update.name, { prepare, inspect }],
    [find.name, { inspect }],
    [get.name, { inspect }],
  ];
}

function eventRules(events: Part<'events'>): Entries {
  const schemas = new Map(Object.entries(events));
  return [[operations.events.track.name, { prepare: (body) => prepareEvent(schemas, body) }]];
}

function sendRules(templates: Part<'templates'>): Entries {
  const named = new Map(Object.entries(templates));
  return [[operations.transactional.send.name, { prepare: (body) => prepareSend(named, body) }]];
}

/** A schema for each contact property, by its name. */
export type PropertySchemas = ReadonlyMap<string, StandardSchema>;

/** Validates each given property with its schema. Omitted properties stay omitted: an update must not set them. */
export async function prepareProperties(schemas: PropertySchemas, body: Body): Promise<Prepared> {
  if (!isObject(body.properties)) return { body, problems: [] }; // the contract's schema reports it
  const prepared = await Promise.all(
    Object.entries(body.properties).map(async ([name, value]) => ({
      name,
      ...(await prepareProperty(schemas, name, value)),
    })),
  );
  const kept = prepared.filter(({ value }) => value !== undefined);
  return {
    body: { ...body, properties: Object.fromEntries(kept.map(({ name, value }) => [name, value])) },
    problems: prepared.flatMap(({ problems }) => problems),
  };
}

async function prepareProperty(schemas: PropertySchemas, name: string, value: unknown): Promise<Validated> {
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
export async function inspectProperties(
  schemas: PropertySchemas,
  contact: unknown,
): Promise<readonly FieldProblem[]> {
  if (!isObject(contact) || !isObject(contact.properties)) return [];
  const { properties } = contact;
  const inspected = await Promise.all(
    Object.entries(properties).map(([name, value]) => inspectProperty(schemas.get(name), name, value)),
  );
  return inspected.flat();
}

async function inspectProperty(
  schema: StandardSchema | undefined,
  name: string,
  value: unknown,
): Promise<readonly FieldProblem[]> {
  if (schema === undefined) return [];
  const path = ['properties', name];
  const read = await validateValue(schema, value, path);
  if (read.problems.length > 0)
    return refusal(value, path, 'does not fit its schema in the workspace, which must accept what it gives')
      .problems;
  if (!isSame(read.value, value))
    return refusal(value, path, 'is not as its schema in the workspace would have written it').problems;
  return [];
}

/** Equality of property values: a string, a number, a boolean or an array of strings. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A schema for the properties of each event, by the event's name. */
export type EventSchemas = ReadonlyMap<string, StandardSchema>;

/** Validates the event's properties with its schema. Without properties, it validates an empty object. */
export async function prepareEvent(schemas: EventSchemas, body: Body): Promise<Prepared> {
  const { event, properties = {} } = body;
  if (typeof event !== 'string') return { body, problems: [] }; // the contract's schema reports it
  const schema = schemas.get(event);
  if (schema === undefined) {
    const message = `is not an event of the workspace, which has ${[...schemas.keys()].join(', ') || 'none'}`;
    return { body, problems: refusal(event, ['event'], message).problems };
  }
  const given = isObject(properties) ? withoutUndefined(properties) : properties;
  const { value, problems } = await validateValue(schema, given, ['properties']);
  return { body: { ...body, properties: value }, problems };
}

/** The templates of a workspace, by name. */
export type NamedTemplates = ReadonlyMap<string, TemplateDefinition>;

/** Translates a template's name and its named variables into the id and the numbers that the service expects. */
export function prepareSend(templates: NamedTemplates, body: Body): Prepared {
  const { template: name, variables = {}, ...rest } = body;
  if (name === undefined) return { body, problems: [] }; // sent by id, as without a workspace
  if (rest.templateId !== undefined)
    return refused(
      body,
      'templateId',
      'must not be combined with template: name the template by one of the two',
    );
  const template = typeof name === 'string' ? templates.get(name) : undefined;
  if (template === undefined) {
    const names = [...templates.keys()].join(', ') || 'none';
    return refused(body, 'template', `is not a template of the workspace, which has ${names}`);
  }
  if (!isObject(variables)) return refused(body, 'variables', 'must be an object');
  const names = template.variables ?? [];
  const numbered = Object.fromEntries(names.map((variable, index) => [`${index + 1}`, variables[variable]]));
  return {
    body: { ...rest, templateId: template.id, ...(names.length > 0 && { variables: numbered }) },
    problems: problemsWithVariables(names, variables),
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

function refused(body: Body, field: string, message: string): Prepared {
  return { body, problems: [{ field, message }] };
}
