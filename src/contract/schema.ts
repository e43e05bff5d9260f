import * as z from 'zod/mini';

/**
 * The shape of a value, checked at run time. The rest of the package takes schemas only through this type
 * and `validate`, so that no other folder knows which library does the checking.
 */
export type Schema<T> = z.ZodMiniType<T>;

/**
 * Adds a check to a schema. It is a function of our own, because zod's checks would make the client larger.
 * openapi-components.ts has its JSON Schema keywords.
 */
export function fitting<S extends z.ZodMiniType>(
  schema: S,
  fits: (value: z.output<S>) => boolean,
  message: string,
): S {
  return schema.check(z.refine(fits, message));
}

/** A string that is not empty. */
export const nonEmptyString: Schema<string> = fitting(
  z.string(),
  (text) => text !== '',
  'must not be an empty string',
);

/** True or false. One check: zod's own number and boolean would make the client larger. */
export const booleanSchema: Schema<boolean> = z.custom<boolean>(
  (value) => typeof value === 'boolean',
  'must be a boolean',
);

/** One problem of a value. */
export interface Problem {
  /** The path of the field, as in `properties.tags[1]`. Empty for the whole value. */
  readonly field: string;
  /** What is wrong and what would be right, in plain words. */
  readonly message: string;
  /** `unknown_field` for a field the shape does not have, `invalid` for everything else. */
  readonly kind: 'unknown_field' | 'invalid';
}

/** The result of `validate`: the value with its type, or all its problems. */
export type Validation<T> =
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly problems: readonly Problem[] };

/** Checks a value against a schema. Never throws, and never puts the value itself into a message. */
export function validate<T>(schema: Schema<T>, value: unknown): Validation<T> {
  // Messages double the time of a check, and only a wrong value needs them.
  const plain = schema.safeParse(value);
  if (plain.success) return { valid: true, value: plain.data };
  const described = schema.safeParse(value, { error: describeIssue });
  return { valid: false, problems: (described.error ?? plain.error).issues.flatMap(toProblems) };
}

/** The message for an unknown field. */
export const unknownField = 'is not a known field; remove it or check its spelling';

function toProblems(issue: z.core.$ZodIssue): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldPath([...issue.path, key]),
      message: unknownField,
      kind: 'unknown_field',
    }));
  }
  return [{ field: fieldPath(issue.path), message: issue.message, kind: 'invalid' }];
}

/** The path of a field as an error names it, as in `properties.tags[1]`. Empty for the whole value. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

const article: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a finite number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
};

/** zod/mini has no messages. These say what is expected, and which required field is missing. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    const wanted = article[issue.expected] ?? issue.expected;
    return issue.input === undefined ? `is required and must be ${wanted}` : `must be ${wanted}`;
  }
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  }
  if (issue.code === 'too_small')
    return issue.origin === 'array' ? 'must not be empty' : 'must not be an empty string';
  return undefined;
}
