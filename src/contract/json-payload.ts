import { type InnerProblem, isJsonObject } from './map-schema.js';

/** The maximum nesting depth of the properties of an event. The properties are the first level. */
export const maxEventDepth = 32;

const notJson = 'must be a value of JSON: a string, a finite number, a boolean, null, a list or an object';
const tooDeep = `must be nested at most ${maxEventDepth} levels deep, without a reference to itself`;

/**
 * The first problem of a value that JSON cannot represent. `JSON.stringify` would change it without an error (`NaN`, a
 * `Map`, `undefined` in a list) or fail (a BigInt, a reference to itself). Of a value with a `toJSON` method, such as a
 * date, it checks the result of that method.
 */
export function problemWithPayload(value: unknown): InnerProblem | undefined {
  try {
    return problemAt(value, [], 2);
  } catch {
    return { path: [], message: 'cannot be read: one of its getters or its toJSON throws an error' };
  }
}

function problemAt(given: unknown, path: readonly PropertyKey[], depth: number): InnerProblem | undefined {
  const value = writtenBy(given);
  // The toJSON of an invalid date returns null.
  if (value === null) return given === null ? undefined : { path, message: notJson };
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) return { path, message: notJson };
  if (depth > maxEventDepth) return { path, message: tooDeep };
  const fields: Iterable<[PropertyKey, unknown]> = isList ? value.entries() : Object.entries(value);
  for (const [name, inner] of fields) {
    if (inner === undefined && !isList) continue;
    const problem = problemAt(inner, [...path, name], depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function writtenBy(value: unknown): unknown {
  if (typeof value !== 'bigint' && (typeof value !== 'object' || value === null)) return value;
  const toJson: unknown = Reflect.get(Object(value), 'toJSON');
  return typeof toJson === 'function' ? toJson.call(value) : value;
}
