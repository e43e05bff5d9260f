// ISO 8601 in its extended form: a date, a time with seconds, and the offset from UTC. A second can be 60.
const timestampPattern =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:[.,](\d+))?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** Whether text is a delivery's timestamp, which `momentOf` can read. */
export function isTimestamp(text: string): boolean {
  return timestampPattern.test(text);
}

/**
 * Reads a delivery's timestamp. Returns milliseconds since the Unix epoch, or `undefined` for text that is no
 * timestamp.
 *
 * The service documents UTC; any offset is accepted. A leap second counts as the first second of the next minute. A day that
 * the month does not have continues into the next month, as with `Date`: April 31 is May 1.
 */
export function momentOf(timestamp: string): number | undefined {
  const parts = timestampPattern.exec(timestamp);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes = 0] =
    parts;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    milliseconds,
  );
  if (sign === undefined) return local;
  const ahead = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return sign === '+' ? local - ahead : local + ahead;
}
