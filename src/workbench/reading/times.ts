import type { Duration } from '../../server/time/duration.js';

/** The time of day by UTC, such as `09:14:07`. */
export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** Date and time by UTC, such as `2026-03-02 09:14:07`. */
export function dateAndTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** The units of time, the largest first. In milliseconds. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A length of time with its two largest units, such as `1 h 5 m`. */
export function lengthOfTime(milliseconds: number): string {
  const length = Math.abs(milliseconds);
  if (length < 1_000) return `${Math.round(length)} ms`;
  const largest = units.findIndex(([, size]) => length >= size);
  const parts: string[] = [];
  let rest = length;
  for (const [name, size] of units.slice(largest, largest + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(' ');
}

/** How far a time is from now, such as `in 8 s`, `2 m ago` or `now`. */
export function fromNow(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  if (seconds === 0) return 'now';
  return seconds > 0 ? `in ${lengthOfTime(seconds * 1_000)}` : `${lengthOfTime(seconds * 1_000)} ago`;
}

const sizes = new Map<string, number>([...units, ['ms', 1]]);

/** A duration of the control surface in milliseconds: `90s` is 90,000. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, count = '', unit = ''] = /^([\d.e+-]+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return Number(count) * (sizes.get(unit) ?? Number.NaN);
}

/** A duration in words: `90s` is `1 m 30 s`. */
export function lengthInWords(duration: Duration): string {
  return lengthOfTime(milliseconds(duration));
}
