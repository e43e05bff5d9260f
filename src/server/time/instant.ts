/**
 * A point in time: a `Date`, milliseconds since the Unix epoch, or ISO 8601 text that names its time zone.
 *
 * @example
 * ```ts
 * import type { Instant } from 'messaging-automation/server';
 *
 * const newYear: Instant[] = [new Date(Date.UTC(2026, 0, 1)), 1_767_225_600_000, '2026-01-01T00:00:00Z'];
 * ```
 */
export type Instant = Date | number | string;

const isoText = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** The instant in milliseconds since the Unix epoch. Throws a `TypeError` for anything that is no instant. */
export function toEpochMilliseconds(instant: Instant): number {
  const time = parse(instant);
  if (time !== undefined) return time;
  throw new TypeError(
    `Not an instant: ${JSON.stringify(instant)}. Give a Date, epoch milliseconds, or text such as '2026-01-01T09:00:00Z'.`,
  );
}

/** Whether the value is an instant. */
export function isInstant(value: unknown): value is Instant {
  return parse(value) !== undefined;
}

function parse(value: unknown): number | undefined {
  const time =
    typeof value === 'string' && isoText.test(value)
      ? Date.parse(value)
      : value instanceof Date
        ? value.getTime()
        : value;
  // Beyond this a Date holds nothing.
  return typeof time === 'number' && Math.abs(time) <= 8.64e15 ? time : undefined;
}
