import type { Schema } from '../contract/schema.js';
import { selfContainedSchema } from '../server/http/control/openapi.js';

/** The JSON Schema of an object, as the protocol demands it of the arguments and results of tools. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  type: 'object';
}

/** Writes the schema of an object as JSON Schema. */
export function objectSchema(schema: Schema<unknown>): ObjectSchema {
  return { ...selfContainedSchema(schema), type: 'object' };
}
