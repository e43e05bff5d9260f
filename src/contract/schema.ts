import * as z from 'zod/v4/core';
import { doYouMean } from '../foundation/near-name.js';

/**
 * The shape of a value, checked at run time. The rest of the package takes schemas only through this type
 * and `validate`, so that no other folder knows which library does the checking.
 *
 * What the client loads builds its schemas by the functions of this file, over zod's core: the methods that zod/mini adds
 * to each schema would make the client larger by 0.9 kB. Everything else uses zod/mini, whose schemas fit in.
 */
export type Schema<T> = z.$ZodType<T>;

/** Text. Each is its own schema, because openapi-components.ts describes some of them. */
export function text(): z.$ZodString<string>;
export function text(): z.$ZodType {
  return new z.$ZodString({ type: 'string' });
}

/** An object with these fields. It leaves out others. */
export function object<Shape extends z.$ZodLooseShape>(shape: Shape): z.$ZodObject<Shape, z.$strip>;
export function object(shape: z.$ZodLooseShape): z.$ZodType {
  return new z.$ZodObject({ type: 'object', shape });
}

/** An object with these fields, which keeps others. */
export function looseObject<Shape extends z.$ZodLooseShape>(shape: Shape): z.$ZodObject<Shape, z.$loose>;
export function looseObject(shape: z.$ZodLooseShape): z.$ZodType {
  return new z.$ZodObject({ type: 'object', shape, catchall: new z.$ZodUnknown({ type: 'unknown' }) });
}

/** An object with these fields and no others. */
export function strictObject<Shape extends z.$ZodLooseShape>(shape: Shape): z.$ZodObject<Shape, z.$strict>;
export function strictObject(shape: z.$ZodLooseShape): z.$ZodType {
  return new z.$ZodObject({ type: 'object', shape, catchall: new z.$ZodNever({ type: 'never' }) });
}

/** An object with these fields, and any others that fit `others`. */
export function objectOf<Shape extends z.$ZodLooseShape, Others extends z.$ZodType>(
  shape: Shape,
  others: Others,
): z.$ZodObject<Shape, z.$catchall<Others>>;
export function objectOf(shape: z.$ZodLooseShape, catchall: z.$ZodType): z.$ZodType {
  return new z.$ZodObject({ type: 'object', shape, catchall });
}

/** A list of values that fit `element`. */
export function list<Element extends z.$ZodType>(element: Element): z.$ZodArray<Element>;
export function list(element: z.$ZodType): z.$ZodType {
  return new z.$ZodArray({ type: 'array', element });
}

/** A field that may be absent or `undefined`. */
export function optional<Inner extends z.$ZodType>(innerType: Inner): z.$ZodOptional<Inner>;
export function optional(innerType: z.$ZodType): z.$ZodType {
  return new z.$ZodOptional({ type: 'optional', innerType });
}

/** A field that may be absent, but not `undefined`. */
export function exactOptional<Inner extends z.$ZodType>(innerType: Inner): z.$ZodExactOptional<Inner>;
export function exactOptional(innerType: z.$ZodType): z.$ZodType {
  return new z.$ZodExactOptional({ type: 'optional', innerType });
}

/** A value that fits one check of our own. zod's own checks would make the client larger. */
export function custom<T>(fits: (value: unknown) => boolean, message: string): Schema<T>;
export function custom(fn: (value: unknown) => boolean, message: string): z.$ZodType {
  return new z.$ZodCustom({ type: 'custom', check: 'custom', abort: true, fn, error: () => message });
}

/**
 * Adds a check to a schema. Its problem is at `path`. openapi-components.ts has the JSON Schema keywords of these checks.
 */
export function fitting<S extends z.$ZodType>(
  schema: S,
  fits: (value: z.output<S>) => boolean,
  message: string,
  path?: PropertyKey[],
): S;
export function fitting(
  schema: z.$ZodType,
  fn: (value: unknown) => boolean,
  message: string,
  path: PropertyKey[] = [],
): z.$ZodType {
  return checking(
    schema,
    new z.$ZodCustom({ type: 'custom', check: 'custom', path, fn, error: () => message }),
  );
}

/** A schema like this one, with one more check; without, another schema that checks the same. */
export function checking<S extends z.$ZodType>(schema: S, ...checks: readonly z.$ZodCheck<never>[]): S {
  const { def } = schema._zod;
  return z.clone(schema, { ...def, checks: [...(def.checks ?? []), ...checks] }, { parent: true });
}

/** A string that is not empty. */
export const nonEmptyString: Schema<string> = fitting(
  text(),
  (given) => given !== '',
  'must not be an empty string',
);

/** True or false. */
export const booleanSchema: Schema<boolean> = custom(
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
  const plain = z.safeParse(schema, value);
  if (plain.success) return { valid: true, value: plain.data };
  const described = z.safeParse(schema, value, { error: describeIssue });
  return { valid: false, problems: (described.error ?? plain.error).issues.flatMap(toProblems) };
}

/** How many unknown fields of an object are compared with the known ones, because a request can have a hundred thousand. */
const mostCompared = 20;

/** The problems of fields that an object with these known names does not have. */
export function unknownFields(fields: readonly string[], known: readonly string[]): readonly Problem[] {
  return fields.map((field, index) => {
    const hint = index < mostCompared ? doYouMean(field, known) : '';
    const message = `is not a known field${hint || '; remove it or check its spelling'}`;
    return { field, message, kind: 'unknown_field' };
  });
}

function toProblems(issue: z.$ZodIssue): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({
      field: fieldPath([...issue.path, key]),
      message: messages[index] ?? '',
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
function describeIssue(issue: z.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const { shape }: { readonly shape?: unknown } = Object(issue.inst?._zod.def);
    // A line for each field, which no line names.
    return unknownFields(issue.keys, Object.keys(Object(shape)))
      .map(({ message }) => message)
      .join('\n');
  }
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
