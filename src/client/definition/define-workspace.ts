import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError, hasMethods } from '../../foundation/options.js';
import { createRules } from './rules.js';
import type { Workspace, WorkspaceDefinition } from './workspace-definition.js';

/**
 * Describes your workspace, so that a client can type and check what it sends and receives: the properties of contacts
 * and events by a schema of any Standard Schema library (zod, valibot, arktype), and the templates by your own names.
 *
 * - A name that the workspace does not define is a compile error. At run time, the client rejects it with
 *   `InvalidInputError` before it sends anything, and also a value that does not match its schema.
 * - The client sends the output of a schema: defaults, coercions and transformations apply. Schemas may be
 *   asynchronous.
 * - A received property that does not match its schema is drift: see the client option `onDrift`.
 *
 * @throws {ConfigurationError} when the definition is invalid.
 *
 * @example
 * ```ts
 * import { defineWorkspace, MessagingAutomation } from 'messaging-automation';
 * import * as z from 'zod';
 *
 * const workspace = defineWorkspace({
 *   properties: { firstName: z.string().trim().min(1), interests: z.array(z.string()) },
 *   events: { order_placed: z.object({ orderId: z.string(), total: z.number().positive() }) },
 *   templates: { orderUpdate: { id: 'order_update', variables: ['firstName', 'orderNumber'] } },
 * });
 * const messaging = new MessagingAutomation({ workspace });
 * const phone = '+15551234567';
 *
 * await messaging.contacts.upsert({ phone, properties: { firstName: 'Ada', interests: ['chess'] } });
 * await messaging.events.track({ event: 'order_placed', phone, properties: { orderId: 'A-1001', total: 42 } });
 * await messaging.transactional.send({
 *   phone,
 *   template: 'orderUpdate',
 *   variables: { firstName: 'Ada', orderNumber: 'A-1001' },
 * });
 * ```
 */
export function defineWorkspace<const Definition extends WorkspaceDefinition>(
  definition: Definition,
): Workspace<Definition> {
  if (!isObject(definition)) throw new ConfigurationError('defineWorkspace takes an object.');
  for (const [part, entries] of Object.entries(definition)) checkPart(part, entries);
  return { definition, rules: createRules(definition) };
}

/** For each part of a definition, a function that says what is wrong with an entry. */
const checks: ReadonlyMap<string, (entry: unknown) => string | undefined> = new Map([
  ['properties', problemWithSchema],
  ['events', problemWithSchema],
  ['templates', problemWithTemplate],
]);

/** @throws {ConfigurationError} when the part of the definition is invalid. */
function checkPart(part: string, entries: unknown): void {
  const check = checks.get(part);
  if (check === undefined) {
    const known = [...checks.keys()].join(', ');
    throw new ConfigurationError(`A workspace has no ${part}. It takes ${known}.`);
  }
  if (entries === undefined) return;
  if (!isObject(entries)) throw new ConfigurationError(`${part} of a workspace must be an object.`);
  for (const [name, entry] of Object.entries(entries)) {
    const problem = check(entry);
    if (problem !== undefined) throw new ConfigurationError(`${part}.${name} of the workspace ${problem}.`);
  }
}

/** Schemas are objects in some libraries and functions in others. */
function problemWithSchema(schema: unknown): string | undefined {
  if (hasMethods('validate')(Reflect.get(Object(schema), '~standard'))) return undefined;
  return 'must be a schema of a library that follows Standard Schema, such as zod 3.24, valibot 1, arktype 2 or later';
}

function problemWithTemplate(template: unknown): string | undefined {
  if (!isObject(template) || typeof template.id !== 'string' || template.id === '')
    return "must have an id, the template's in the service";
  const { variables = [] } = template;
  if (!Array.isArray(variables) || !variables.every((name) => typeof name === 'string' && name !== ''))
    return 'must have as its variables a list of names, the first for placeholder 1';
  if (new Set(variables).size < variables.length) return 'must have a name of its own for each variable';
  return undefined;
}
