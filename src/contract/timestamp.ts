// ISO 8601 in its extended form: a date, a time to the second, and what it is of UTC. A second may be the 60th.
const timestampPattern =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:[.,](\d+))?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** Whether text is a delivery's timestamp (document §6): whether `momentOf` gives the moment that it names. */
export function isTimestamp(text: string): boolean {
  return timestampPattern.test(text);
}

/**
 * The moment that a delivery's timestamp names (document §6), in milliseconds since the epoch; `undefined` for text
 * that names none.
 *
 * The document shows UTC. `Z`, `+00:00` and every other offset name a moment of UTC equally well. A leap second is the
 * first second of the next minute, and a day that its month lacks is counted on, as `Date` does.
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
