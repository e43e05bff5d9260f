import { describeErrorClass, MessagingAutomationError } from './base-error.js';
import { isObject } from './is-object.js';
import { doYouMean } from './near-name.js';
import { createWarnings } from './runtime.js';

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

/**
 * What an option must be: a test of its value, the words that follow "must be", and whether it cannot be left out, or protects so much that
 * `undefined` is taken for a mistake.
 */
export type OptionCheck = readonly [
  fits: (value: unknown) => boolean,
  wanted: string,
  need?: 'required' | 'protects',
];

/**
 * The checks of a function, one for each option that it has: a name that is not among them is unknown. A dot in a name leads into an
 * option.
 */
export type OptionChecks = Readonly<Record<string, OptionCheck>>;

/** What is wrong with the options of a call, which nothing may leave before they are right. */
export function problemsWith(options: unknown, checks: OptionChecks, example = ''): readonly FieldProblem[] {
  if (!isObject(options))
    return [{ field: 'the options', message: `must be an object${example}, not ${kindOf(options)}` }];
  return [...unfitValues(options, checks), ...likelyMistakes(options, checks)];
}

/**
 * Checks the options of a function that sets something up. A name that it does not know is one warning, because it may come from a newer
 * version.
 *
 * @param owner The function or class that takes the options, for the message.
 * @throws {ConfigurationError} that names the first wrong option, what it is, and what it may be.
 */
export function checkOptions(owner: string, options: unknown, checks: OptionChecks): void {
  if (!isObject(options))
    throw refusal(owner, problemsWith(options, checks, `, such as { ${Object.keys(checks)[0]} }`));
  const unfit = unfitValues(options, checks);
  if (unfit.length > 0) throw refusal(owner, unfit);
  for (const { field, message } of likelyMistakes(options, checks))
    warnOnce(`${owner} ${field}`, `${owner}: ${field} ${message}. It has no effect.`);
}

/**
 * Checks the options of a function that acts at once: it must not act without an option that was meant.
 *
 * @throws {ConfigurationError} also for a name that it does not know.
 */
export function checkOptionsOfCall(owner: string, options: unknown, checks: OptionChecks): void {
  const problems = problemsWith(options, checks);
  if (problems.length > 0) throw refusal(owner, problems);
}

/**
 * Checks an argument that is no option.
 *
 * @throws {ConfigurationError} that names it, what it is, and what it may be.
 */
export function checkArgument(
  owner: string,
  name: string,
  value: unknown,
  [fits, wanted]: OptionCheck,
): void {
  if (!fits(value)) throw refusal(owner, [{ field: name, message: unfit(wanted, value) }]);
}

function refusal(owner: string, [problem]: readonly FieldProblem[]): ConfigurationError {
  return new ConfigurationError(`${owner}: ${problem?.field} ${problem?.message}.`);
}

/** The options whose value is wrong. One that is `undefined` counts as left out, and so does what is in an option that is left out. */
function unfitValues(options: object, checks: OptionChecks): readonly FieldProblem[] {
  return Object.entries(checks).flatMap(([field, [fits, wanted, need]]) => {
    const [name = '', ...owners] = field.split('.').reverse();
    const owner = owners.reduceRight((part: unknown, key) => Reflect.get(Object(part), key), options);
    const value: unknown = Reflect.get(Object(owner), name);
    const isLeftOut = value === undefined && (need !== 'required' || owner === undefined);
    if (isLeftOut || fits(value)) return [];
    return [{ field, message: unfit(wanted, value) }];
  });
}

function unfit(wanted: string, value: unknown): string {
  const kind = kindOf(value);
  // Of an array or an object, a part is wrong.
  return `must be ${wanted}${wanted.startsWith(kind) ? '' : `, not ${kind}`}`;
}

/** What is likely meant otherwise: a name that no check has, and a protection that is `undefined`. Own names alone, and not all of very many. */
function likelyMistakes(options: object, checks: OptionChecks): readonly FieldProblem[] {
  const known = Object.keys(checks);
  const groups = new Set(['', ...known.map((name) => name.slice(0, name.lastIndexOf('.') + 1))]);
  const given = [...groups].flatMap((group) => namesIn(options, group).map((name) => group + name));
  const unknown = given.filter((name) => !known.some((each) => `${each}.`.startsWith(`${name}.`)));
  const lost = given.filter(
    (name) => checks[name]?.[2] === 'protects' && Reflect.get(options, name) === undefined,
  );
  return [
    ...unknown
      .slice(0, mostUnknown)
      .map((name) => ({ field: shown(name), message: `is not an option${hint(name, known)}` })),
    ...lost.map((field) => ({
      field,
      message: 'is undefined, and protects nothing: give it a value, or leave it out',
    })),
  ];
}

/** How many unknown names a message lists, and how many names of an object are compared. */
const mostUnknown = 10;
const mostNames = 1_000;

/** The names in an object of options, or in the option that a group such as `backoff.` leads into. */
function namesIn(options: object, group: string): readonly string[] {
  const part: unknown = group === '' ? options : Reflect.get(options, group.slice(0, -1));
  return isObject(part) ? Object.keys(part).slice(0, mostNames) : [];
}

/** The closest name, or all names if none is close and they are few. Those of a call are more: some are not for users. */
function hint(name: string, known: readonly string[]): string {
  return doYouMean(name, known, known.length > 5 ? '' : ` (the options are ${known.join(', ')})`);
}

/** A name as a message shows it, unless it is more than a word: it could then be a secret, a phone or text for a terminal. */
function shown(name: string): string {
  return /^(?!.*\d{5})[\w$.-]{1,60}$/.test(name) ? name : 'a name that is no word';
}

const warnOnce = /* @__PURE__ */ createWarnings('MessagingAutomationConfiguration');

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

/** The check of an option that may be left out, and protects: an `undefined` value is a mistake. */
export const protects = ([fits, wanted]: OptionCheck): OptionCheck => [fits, wanted, 'protects'];

/** Tests whether a value has these methods. */
export const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    names.every((name) => typeof Reflect.get(Object(value), name) === 'function');

/** An option that is checked where it is used, because its error is another one there. */
export const anything: OptionCheck = [() => true, 'anything'];

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

/** Its methods and not its class, because a signal may come from another realm. */
export const aSignal: OptionCheck = [
  (value) =>
    typeof Reflect.get(Object(value), 'aborted') === 'boolean' && hasMethods('addEventListener')(value),
  "an AbortSignal: a controller's is its property signal",
];

export const oneOf = (...words: readonly string[]): OptionCheck => [
  (value) => words.some((word) => word === value),
  words.map((word) => `'${word}'`).join(' or '),
];

export const anObject: OptionCheck = [isObject, 'an object'];

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
