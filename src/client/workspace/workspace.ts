import type { PropertyValue } from '../../contract/contact.js';
import type { StandardSchema } from './standard-schema.js';
import type { WorkspaceRules } from './workspace-rules.js';

/** A message template under a name of your own. */
export interface TemplateDefinition {
  /** The template's id, as `templates.list()` gives it. */
  readonly id: string;
  /** A name for each placeholder: the first for `{{1}}`, the second for `{{2}}`, and so on. Default: none. */
  readonly variables?: readonly string[];
}

/**
 * What {@link defineWorkspace} takes. What is left out stays as free as without a workspace.
 *
 * @example
 * ```ts
 * import type { WorkspaceDefinition } from 'messaging-automation';
 * import * as z from 'zod';
 *
 * const definition = {
 *   properties: { firstName: z.string(), visits: z.int() },
 *   events: { order_placed: z.object({ orderId: z.string() }) },
 *   templates: { orderUpdate: { id: 'order_update', variables: ['firstName', 'orderNumber'] } },
 * } satisfies WorkspaceDefinition;
 * console.log(Object.keys(definition));
 * ```
 */
export interface WorkspaceDefinition {
  /**
   * A schema for each contact property. It checks values on their way out and reads those that come back, so it must
   * accept what it gives. All properties are optional to the service, and those of which the schema makes `undefined`
   * are left out.
   */
  readonly properties?: Readonly<Record<string, StandardSchema<unknown, PropertyValue | undefined>>>;
  /** A schema for the properties of each event, by the event's name. */
  readonly events?: Readonly<Record<string, StandardSchema<unknown, object>>>;
  /** The templates to send, each under a name of your own. */
  readonly templates?: Readonly<Record<string, TemplateDefinition>>;
}

/**
 * A workspace as {@link defineWorkspace} makes it, for the client's option `workspace`. As a type without an argument
 * it is that of a client which knows nothing of its workspace, and takes every name.
 */
export interface Workspace<Definition extends WorkspaceDefinition = WorkspaceDefinition> {
  /** What it was made from. */
  readonly definition: Definition;
  /** @internal */
  readonly rules: WorkspaceRules;
}
