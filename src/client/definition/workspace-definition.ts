import type { PropertyValue } from '../../contract/contact.js';
import type { OperationRequest } from '../../contract/operation.js';
import type { Redact } from '../../contract/redaction.js';
import type { FieldProblem } from '../../foundation/options.js';

/**
 * A schema of any library that follows the [Standard Schema](https://standardschema.dev) specification, version 1, such
 * as zod, valibot or arktype. It contains only the parts that this package uses.
 *
 * `Input` is what the schema accepts, `Output` what it returns. They differ if it has a default, a coercion or a
 * transformation.
 *
 * @example
 * ```ts
 * import type { StandardSchema } from 'messaging-automation';
 * import * as z from 'zod';
 *
 * const plan: StandardSchema<'free' | 'pro'> = z.enum(['free', 'pro']);
 * console.log(plan['~standard'].vendor);
 * ```
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties that the specification defines. */
  readonly '~standard': {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Returns the output for a value, or what is wrong with it. May be asynchronous. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Used only by the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a {@link StandardSchema}: its output, or what is wrong with the value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** What a schema accepts. */
export type InputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** What a schema returns. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

/** A message template with your own name. */
export type TemplateDefinition = {
  /** The id of the template, from `templates.list()`. */
  readonly id: string;
  /** A name for each placeholder: the first for `{{1}}`, the second for `{{2}}`, and so on. Default: none. */
  readonly variables?: readonly string[];
};

/**
 * The input of {@link defineWorkspace}. Parts that you omit stay unchecked, as without a workspace.
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
   * A schema for each contact property. The client checks sent values with it and reads received values with it, so it
   * must accept its own output. For the service every property is optional. The client omits a property whose schema
   * returns `undefined`.
   */
  readonly properties?: Readonly<Record<string, StandardSchema<unknown, PropertyValue | undefined>>>;
  /** A schema for the properties of each event, by the event's name. */
  readonly events?: Readonly<Record<string, StandardSchema<unknown, object>>>;
  /** The templates to send, each with your own name. */
  readonly templates?: Readonly<Record<string, TemplateDefinition>>;
}

/**
 * A workspace, made by {@link defineWorkspace}, for the client option `workspace`. Without a type argument, it is the
 * type of a client without a workspace, which accepts every name.
 */
export interface Workspace<Definition extends WorkspaceDefinition = WorkspaceDefinition> {
  /** The definition that you passed. */
  readonly definition: Definition;
  /** @internal */
  readonly rules: WorkspaceRules;
}

/** The checks of a workspace at each call. Operations have their names from the contract. */
export interface WorkspaceRules {
  /**
   * Converts the given request into the one to send.
   *
   * @throws {InvalidInputError} when the request does not match the workspace. Nothing was sent.
   */
  prepare(operation: string, request: OperationRequest, redact: Redact): Promise<OperationRequest>;
  /** The differences of a result from the workspace. The result already matches the contract. */
  inspect(operation: string, result: unknown): Promise<readonly FieldProblem[]>;
}

/** An unchecked request body, perhaps from a program without types. */
export type Body = Readonly<Record<string, unknown>>;
