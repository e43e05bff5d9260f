import { describeErrorClass, MessagingAutomationError } from './base-error.js';

/**
 * An option, or a part of what you configure, such as a seed or a fault rule, is missing or has an invalid value. Its message names
 * what is wrong, what it was and what it may be. It shows no key and no secret.
 *
 * @example
 * ```ts
 * import { ConfigurationError, MessagingAutomation } from 'messaging-automation';
 *
 * try {
 *   new MessagingAutomation({ apiKey: 'key', baseUrl: 'example.com/api' });
 * } catch (error) {
 *   if (!(error instanceof ConfigurationError)) throw error;
 *   console.error(error.message);
 * }
 * ```
 */
export class ConfigurationError extends MessagingAutomationError {
  static {
    describeErrorClass(this, 'ConfigurationError');
  }
}

/**
 * An invalid field of a request or a response. It names the field and what it must be, never its value. One exception:
 * a message of your own workspace schema may quote the value.
 */
export interface FieldProblem {
  /** The path of the field, such as `properties.tags[1]`. Empty for the whole value. */
  readonly field: string;
  /** What the field must be. */
  readonly message: string;
}

/** How many problems a message lists. It counts the rest. */
const listed = 10;

/**
 * The first problems in one line. A problem of the whole value gets the name `whole`.
 *
 * @param total The number of problems, if `problems` does not contain all.
 */
export function listProblems(
  problems: readonly FieldProblem[],
  whole: string,
  total: number = problems.length,
): string {
  const texts = problems.slice(0, listed).map(({ field, message }) => `${field || whole} ${message}`);
  return (total > listed ? [...texts, `and ${total - listed} more`] : texts).join('; ');
}

/** What an option must be: a test of its value, the words that follow "must be", and whether it cannot be left out. */
export type OptionCheck = readonly [fits: (value: unknown) => boolean, wanted: string, need?: 'required'];

export type OptionChecks = Readonly<Record<string, OptionCheck>>;

/**
 * What is wrong with options, for programs without types. An option that is `undefined` counts as left out. A dot in the name of a
 * check leads into an option, and does not matter if that option is left out.
 */
export function problemsWith(options: object, checks: OptionChecks): readonly FieldProblem[] {
  return Object.entries(checks).flatMap(([field, [fits, wanted, need]]) => {
    const [name = '', ...owners] = field.split('.').reverse();
    const owner = owners.reduceRight((part: unknown, key) => Reflect.get(Object(part), key), options);
    const value: unknown = Reflect.get(Object(owner), name);
    const isLeftOut = value === undefined && (need === undefined || owner === undefined);
    if (isLeftOut || fits(value)) return [];
    const kind = kindOf(value);
    // Of an array or an object, a part is wrong.
    return [{ field, message: `must be ${wanted}${wanted.startsWith(kind) ? '' : `, not ${kind}`}` }];
  });
}

/**
 * Refuses options that are wrong.
 *
 * @param owner The function or class that takes the options, for the message.
 * @throws {ConfigurationError} that names the first wrong option, what it is, and what it may be.
 */
export function checkOptions(owner: string, options: object, checks: OptionChecks): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError(`${owner}: the options must be an object, not ${kindOf(options)}.`);
  const [problem] = problemsWith(options, checks);
  if (problem) throw new ConfigurationError(`${owner}: ${problem.field} ${problem.message}.`);
}

/** Refuses two options of which only one can apply. */
export function refuseBoth(owner: string, options: object, one: string, other: string, reason: string): void {
  if (Reflect.get(options, one) === undefined || Reflect.get(options, other) === undefined) return;
  throw new ConfigurationError(`${owner}: ${one} cannot be combined with ${other}: ${reason}.`);
}

/** The kind of a value. A text may be a secret, so the message does not show it. */
function kindOf(value: unknown): string {
  if (value === null || ['undefined', 'number', 'boolean'].includes(typeof value)) return String(value);
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The check of an option that cannot be left out. */
export const required = ([fits, wanted]: OptionCheck): OptionCheck => [fits, wanted, 'required'];

/** Tests whether a value has these methods. */
export const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    names.every((name) => typeof Reflect.get(Object(value), name) === 'function');

export const aFunction: OptionCheck = [(value) => typeof value === 'function', 'a function'];

export const trueOrFalse: OptionCheck = [(value) => typeof value === 'boolean', 'true or false'];

export const aString: OptionCheck = [(value) => typeof value === 'string', 'a string'];

export const aText: OptionCheck = [
  (value) => typeof value === 'string' && value !== '',
  'a string that is not empty',
];

export const aClock: OptionCheck = [
  hasMethods('now', 'setTimer'),
  'an object with the methods now and setTimer',
];

export const oneOf = (...words: readonly string[]): OptionCheck => [
  (value) => words.some((word) => word === value),
  words.map((word) => `'${word}'`).join(' or '),
];

export const aPositiveNumber: OptionCheck = [
  (value) => typeof value === 'number' && value > 0,
  'a number above 0',
];

/** A time that a timer and a store accept. Neither accepts `Infinity`. */
export const milliseconds = (least: number): OptionCheck => [
  (value) => Number.isFinite(value) && Number(value) >= least,
  `a number of milliseconds, ${least} or more`,
];

export const aWholeNumber = (least: number): OptionCheck => [
  (value) => Number.isSafeInteger(value) && Number(value) >= least,
  `a whole number, ${least} or more`,
];
