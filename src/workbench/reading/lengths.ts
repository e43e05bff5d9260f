import type { Duration } from '../../server/time/duration.js';
import { lengthOfTime, units } from './times.js';

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
