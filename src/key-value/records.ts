/** A time to live without an end: a century, which every key-value service can count. In milliseconds. */
export const forEver = 100 * 365 * 24 * 60 * 60 * 1_000;

/**
 * A time to live that every key-value service can count: whole milliseconds, rounded up, and a century at most.
 *
 * @throws TypeError if it is less than one millisecond, or not a number.
 */
export function timeToLive(milliseconds: number): number {
  if (typeof milliseconds === 'number' && milliseconds >= 1)
    return Math.min(Math.ceil(milliseconds), forEver);
  throw new TypeError(
    `A time to live must be a number of milliseconds, 1 or more, not ${String(milliseconds)}.`,
  );
}

/** The SHA-256 of a text, in hex: a key that shows neither a phone nor a name. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
