import type { ContentObject, SchemaObject } from 'openapi3-ts/oas31';
import * as z from 'zod/mini';

/** What the OpenAPI documents of the contract and of the control surface have in common. */

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = SchemaObject;

/** The names of schemas, in a document. */
type Components = z.core.$ZodRegistry<{ readonly id: string }>;

/** How zod converts schemas to JSON Schema. */
export interface Writing {
  readonly target: 'draft-2020-12';
  readonly io: 'input';
  readonly unrepresentable: 'any';
  /** Describes the schemas that are checks of our own. */
  readonly override: NonNullable<z.core.ToJSONSchemaParams['override']>;
}

/** @param override Describes the schemas that are checks of our own. */
export function writing(
  override: (schema: z.core.$ZodType, written: z.core.JSONSchema.BaseSchema) => void,
): Writing {
  return {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => override(zodSchema, jsonSchema),
  };
}

/** Where a document has the schema of a name. */
export const pointer = (id: string) => `#/components/schemas/${id}`;

export const reference = (id: string): JsonSchema => ({ $ref: pointer(id) });

/** The named schemas of a document. */
export function namedSchemas(components: Components, params: Writing): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(components, { ...params, metadata: components, uri: pointer });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { id, ...schema }]) => [name, withoutDialect(schema)]),
  );
}

/** Returns a schema of a document, with references to the named ones. */
export function schemaIn(components: Components, params: Writing, schema: z.core.$ZodType): JsonSchema {
  const component = components.get(schema);
  if (component !== undefined) return reference(component.id);
  const { $defs, ...inline } = z.toJSONSchema(schema, { ...params, metadata: components });
  return JSON.parse(JSON.stringify(withoutDialect(inline)).replaceAll('#/$defs/', pointer('')));
}

/** Removes the keywords that only a schema in a file of its own needs. */
function withoutDialect({ $schema, $id, ...schema }: z.core.JSONSchema.BaseSchema): JsonSchema {
  // zod's type also allows `true` and `false` as a schema. Here, zod writes neither.
  return schema as JsonSchema;
}

/** The description of each operation, by its path and method. */
export function pathsOf<Operation extends { readonly method: string; readonly path: string }, Description>(
  operations: readonly Operation[],
  describe: (operation: Operation) => Description,
): Record<string, Record<string, Description>> {
  const byPath: Record<string, Record<string, Description>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    byPath[path] = { ...byPath[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return byPath;
}

export const json = (schema: JsonSchema): ContentObject => ({ 'application/json': { schema } });
