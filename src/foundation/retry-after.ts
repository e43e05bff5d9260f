/**
 * Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds from `now`. It also reads what gateways make of it:
 * `1s`, a date in ISO 8601, and `1, 5` where two of them each set the header. The longest counts.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = header.split(',').map((part) => /^\s*(\d+(?:\.\d+)?)s?\s*$/i.exec(part)?.[1]);
  if (seconds.every((part) => part !== undefined)) return Math.max(...seconds.map(Number)) * 1_000;
  // Date.parse accepts "-5" and "12" as dates. An HTTP date begins with the name of a day.
  const date = /^([A-Za-z]{3}|\d{4}-\d\d-\d\dT)/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
