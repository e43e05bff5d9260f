/** Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds from `now`. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1_000;
  // Date.parse accepts "-5" and "12" as dates. An HTTP date begins with the name of a day.
  const date = /^[A-Za-z]{3}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
