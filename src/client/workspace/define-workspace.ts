import { checkDefinition } from './check-definition.js';
import { createRules } from './create-rules.js';
import type { Workspace, WorkspaceDefinition } from './workspace.js';

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
  checkDefinition(definition);
  return { definition, rules: createRules(definition) };
}
