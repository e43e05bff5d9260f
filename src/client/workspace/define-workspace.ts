import { checkDefinition } from './check-definition.js';
import { createRules } from './create-rules.js';
import type { Workspace, WorkspaceDefinition } from './workspace.js';

/**
 * Describes a workspace, so that a client can type and check what it sends there and what comes back: the properties
 * of contacts and of events by a schema of any Standard Schema library, and the templates by names of your own.
 *
 * - A name that the workspace does not have does not compile. From a program without types it is refused, with
 *   `InvalidInputError`, before anything is sent; and so is a value that its schema refuses.
 * - What a schema gives is what is sent: defaults, coercions and transformations apply. It may be asynchronous.
 * - A property that comes back and does not fit its schema is drift.
 *
 * @throws {ConfigurationError} where the definition makes no sense.
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
