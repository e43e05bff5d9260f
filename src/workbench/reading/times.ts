import { type Duration, toMilliseconds } from '../../server/time/duration.js';

/** The time of day by UTC, such as `09:14:07`. */
export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** The day by UTC, such as `Wed 25 Nov`. With its year, if it is not the year of `near`. */
export function dayOf(at: number, near: number): string {
  const [weekday = '', day, month, year] = new Date(at).toUTCString().split(' ');
  const words = `${weekday.replace(',', '')} ${Number(day)} ${month}`;
  return new Date(near).getUTCFullYear() === Number(year) ? words : `${words} ${year}`;
}

/** The time of day by UTC, with its day if that is not the day of `near`: `09:14:07`, or `Wed 25 Nov 09:14:07`. */
export function timeNear(at: number, near: number): string {
  return isSameDay(at, near) ? timeOfDay(at) : `${dayOf(at, near)} ${timeOfDay(at)}`;
}

/** The same without the seconds, for a glance: `09:14`, or `Wed 25 Nov 09:14`. */
export function shortTimeNear(at: number, near: number): string {
  return timeNear(at, near).slice(0, -3);
}

/**
 * What to say between two moments, one after the other in a list: `2 d later · Wed 25 Nov`. Undefined if both are on one day and less
 * than an hour apart.
 */
export function passageBetween(one: number, next: number): string | undefined {
  const length = Math.abs(next - one);
  const day = isSameDay(one, next) ? undefined : dayOf(next, one);
  if (day === undefined && length < 3_600_000) return undefined;
  const [, unit] = length < 86_400_000 ? units[2] : units[1];
  const passed = `${lengthOfTime(Math.round(length / unit) * unit)} ${next > one ? 'later' : 'earlier'}`;
  return day === undefined ? passed : `${passed} · ${day}`;
}

function isSameDay(one: number, other: number): boolean {
  return dateAndTime(one).slice(0, 10) === dateAndTime(other).slice(0, 10);
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

/** How far the clock of the workspace is from that of this machine, such as `9 d ahead`. Undefined below half a minute. */
export function aheadOf(now: number, machine: number): string | undefined {
  const difference = Math.round((now - machine) / 60_000) * 60_000;
  if (difference === 0) return undefined;
  const [count, unit] = lengthOfTime(difference).split(' ');
  return `${count} ${unit} ${difference > 0 ? 'ahead' : 'behind'}`;
}

/** A duration in words: `90s` is `1 m 30 s`. */
export function lengthInWords(duration: Duration): string {
  return lengthOfTime(toMilliseconds(duration));
}
