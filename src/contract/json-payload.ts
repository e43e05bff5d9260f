import { type InnerProblem, isJsonObject } from './map-schema.js';

/** How deep the properties of an event may be nested; they themselves are the first level. */
export const maxEventDepth = 32;

const notJson = 'must be what JSON can hold: a string, a finite number, a boolean, null, a list or an object';
const tooDeep = `must not be nested more than ${maxEventDepth} deep, nor refer to itself`;

/**
 * The first thing in a value that JSON could not hold as it is: it would be changed in silence (`NaN`, a `Map`,
 * `undefined` in a list), or not be written at all (a BigInt, a value that refers to itself). A value with a method
 * `toJSON`, such as a date, is judged by what that gives.
 */
export function problemWithPayload(value: unknown): InnerProblem | undefined {
  try {
    return problemAt(value, [], 2);
  } catch {
    return { path: [], message: 'cannot be read: a getter or a toJSON of it throws an error' };
  }
}

function problemAt(given: unknown, path: readonly PropertyKey[], depth: number): InnerProblem | undefined {
  const value = writtenBy(given);
  // An invalid date writes itself as null.
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
