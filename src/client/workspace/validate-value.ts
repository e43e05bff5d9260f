import { fieldPath } from '../../contract/schema.js';
import type { FieldProblem } from '../../foundation/field-problem.js';
import type { StandardResult, StandardSchema } from './standard-schema.js';
import type { Body } from './workspace-rules.js';

/** What a schema made of a value; where there are problems, the value as it was given. */
export interface Validated {
  readonly value: unknown;
  readonly problems: readonly FieldProblem[];
}

/** Puts a value, which stands at `path` of the input, through a schema. Never rejects, whatever the schema does. */
export async function validateValue(
  schema: StandardSchema,
  value: unknown,
  path: readonly PropertyKey[],
): Promise<Validated> {
  let result: StandardResult<unknown>;
  try {
    result = await schema['~standard'].validate(value);
  } catch {
    // What it threw may hold the value, and is a fault of the schema rather than of the input.
    return refusal(value, path, 'could not be checked: its schema in the workspace threw an error');
  }
  if (result.issues === undefined) return { value: result.value, problems: [] };
  if (result.issues.length === 0) return refusal(value, path, 'is refused by its schema in the workspace');
  const problems = result.issues.map((issue) => ({
    // arktype's path is an array of its own kind, of which only iterating is to be relied on.
    field: fieldPath([...path, ...Array.from(issue.path ?? [], keyOf)]),
    message: `is refused by its schema in the workspace: ${issue.message}`,
  }));
  return { value, problems };
}

/** That the value at this path is not to be taken. */
export function refusal(value: unknown, path: readonly PropertyKey[], message: string): Validated {
  return { value, problems: [{ field: fieldPath(path), message }] };
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof segment === 'object' ? segment.key : segment;
}

/** The fields that JSON will write: to give one as `undefined` is to leave it out. */
export function withoutUndefined(fields: Body): Body {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // An object of a class may be what its schema asks for.
  return given.length === Object.keys(fields).length ? fields : Object.fromEntries(given);
}
