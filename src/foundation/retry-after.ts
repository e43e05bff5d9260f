/** `Retry-After`, in seconds or as an HTTP date, as milliseconds from `now`. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1_000;
  // Date.parse would take "-5" or "12" for a date; an HTTP date begins with the name of a day.
  const date = /^[A-Za-z]{3}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
