import * as z from 'zod/v4/core';
import { checking, custom, type Schema } from './schema.js';

/** A problem inside a value: its path from that value on, and what is expected. */
export interface InnerProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * The schema of an object with any names. `problemWith` checks each value. A field that is `undefined` counts as absent,
 * because JSON leaves it out. This is one check, because zod's own records and unions are a tenth of the client.
 */
export function mapOf<Value>(
  problemWith: (value: unknown, name: string) => InnerProblem | undefined,
): Schema<Readonly<Record<string, Value>>> {
  const check = new z.$ZodCheck({ check: 'custom' });
  check._zod.check = ({ value, issues }) => {
    const refuse = (message: string, path: readonly PropertyKey[] = []) =>
      issues.push({ code: 'custom', input: value, path: [...path], message });
    if (!isJsonObject(value)) {
      refuse(value === undefined ? 'is required and must be an object' : 'must be an object');
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      const problem = name === '__proto__' ? unusableName : inner !== undefined && problemWith(inner, name);
      if (problem) refuse(problem.message, [name, ...problem.path]);
    }
  };
  return checking(
    custom<Readonly<Record<string, Value>>>(() => true, ''),
    check,
  );
}

const unusableName: InnerProblem = { path: [], message: 'is not a name that a field can have' };

/** Whether JSON writes a value as an object with its fields. It does so for an instance of a class, but not for a Map. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}
