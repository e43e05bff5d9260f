/**
 * A point in time up to the year 9899: a `Date`, whole milliseconds since the Unix epoch, or an ISO 8601 string with its time
 * zone.
 *
 * @example
 * ```ts
 * import type { Instant } from 'messaging-automation/server';
 *
 * const newYear: Instant[] = [new Date(Date.UTC(2026, 0, 1)), 1_767_225_600_000, '2026-01-01T00:00:00Z'];
 * ```
 */
export type Instant = Date | number | string;

const isoText = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Converts an instant to milliseconds since the Unix epoch. Throws a `TypeError` for anything else. */
export function toEpochMilliseconds(instant: Instant): number {
  const time = parse(instant);
  if (time !== undefined) return time;
  throw new TypeError(
    `Not an instant: ${JSON.stringify(instant)}. Use a Date, epoch milliseconds, or a string such as '2026-01-01T09:00:00Z'.`,
  );
}

/** Whether the value is an instant. */
export function isInstant(value: unknown): value is Instant {
  return parse(value) !== undefined;
}

/**
 * The last instant of a clock. What waits is due within a hundred years, so every time that a record holds has a year of four
 * digits, as ISO 8601 and RFC 3339 require.
 */
export const lastInstant = Date.UTC(9899, 11, 31, 23, 59, 59, 999);

/** The error for an invalid instant. */
export const wantedInstant = "must be an instant, such as '2026-01-01T09:00:00Z', not after the year 9899";

function parse(value: unknown): number | undefined {
  const time = typeof value === 'string' ? timeOfText(value) : isDate(value) ? value.getTime() : value;
  // The earliest time that a Date can represent is -8.64e15.
  const isInRange =
    typeof time === 'number' && Number.isInteger(time) && time >= -8.64e15 && time <= lastInstant;
  return isInRange ? time : undefined;
}

function timeOfText(text: string): number | undefined {
  const [, year, month, day] = isoText.exec(text) ?? [];
  // Date turns an invalid day such as February 30 into a day of the next month.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return isDay ? Date.parse(text) : undefined;
}

/** A Date of any realm. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}
