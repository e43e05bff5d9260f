import type { Duration } from '../../server/time/duration.js';
import { lengthOfTime } from './times.js';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration of the control surface in milliseconds: `90s` is 90,000. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, count = '', unit = ''] = /^([\d.e+-]+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return Number(count) * (units[unit] ?? Number.NaN);
}

/** A duration in words: `90s` is `1 m 30 s`. */
export function lengthInWords(duration: Duration): string {
  return lengthOfTime(milliseconds(duration));
}
