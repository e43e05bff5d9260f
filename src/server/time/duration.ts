import type { OptionCheck } from '../../foundation/options.js';

/**
 * A length of time: a number of milliseconds, or a number with a unit. Maximum: a hundred years. Fractions of a
 * millisecond are rounded.
 *
 * @example
 * ```ts
 * import type { Duration } from 'messaging-automation/server';
 *
 * const waits: Duration[] = [250, '250ms', '10s', '1m', '2h', '1d'];
 * ```
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** The units, largest first, each with its length in milliseconds. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** A hundred years. This limit keeps every sum of a workspace's times within the range of dates. */
const longest = 36_525 * 86_400_000;

/** What an option must be that is a duration. */
export const aDuration: OptionCheck = [isDuration, "a duration, such as 5_000 or '5s'"];

/** The validation message for an invalid duration. */
export const wantedDuration = "must be a duration: milliseconds or a string such as '10s', at most 36525d";

/** Converts a duration to milliseconds. Throws a `TypeError` for anything that is not a duration of zero or more. */
export function toMilliseconds(duration: Duration): number {
  const length = parse(duration);
  if (length !== undefined) return length;
  throw new TypeError(
    `Not a duration: ${JSON.stringify(duration)}. Use milliseconds or a string such as '10s' or '1m'. The maximum is 36525d.`,
  );
}

/** Writes a duration in the largest unit that needs no fraction: 5,400,000 as `90m`. */
export function inLargestUnit(length: number): Duration {
  const [unit, factor] = units.find((each) => length > 0 && length % each[1] === 0) ?? (['ms', 1] as const);
  return `${length / factor}${unit}`;
}

/** Whether the value is a duration of zero or more. */
export function isDuration(value: unknown): value is Duration {
  return parse(value) !== undefined;
}

function parse(value: unknown): number | undefined {
  const length = typeof value === 'string' ? lengthOf(value) : value;
  return typeof length === 'number' && length >= 0 && length <= longest ? Math.round(length) : undefined;
}

function lengthOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const [, factor] = units.find(([name]) => name === unit) ?? [];
  return factor === undefined ? undefined : Number(amount) * factor;
}
