import { fieldPath } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import type { StandardResult, StandardSchema } from './standard-schema.js';
import type { Body } from './workspace.js';

/** What to send; if there are problems, the given value. */
export interface Validated<Value = unknown> {
  readonly value: Value;
  readonly problems: readonly FieldProblem[];
}

/** Validates the value at `path` of the input with a schema. Never rejects, even if the schema throws. */
export async function validateValue(
  schema: StandardSchema,
  value: unknown,
  path: readonly PropertyKey[],
): Promise<Validated> {
  let result: StandardResult<unknown>;
  try {
    result = await schema['~standard'].validate(value);
  } catch {
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
  return { value, problems: [{ field: fieldPath(path), message }] };
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
