import { operations } from '../../contract/operations.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import { InvalidInputError } from '../errors/unanswered-errors.js';
import { prepareEvent } from './event-rules.js';
import { inspectProperties, prepareProperties } from './property-rules.js';
import { prepareSend } from './template-rules.js';
import type { WorkspaceDefinition } from './workspace.js';
import type { Body, Prepared, WorkspaceRules } from './workspace-rules.js';

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
