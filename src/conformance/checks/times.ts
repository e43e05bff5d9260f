import type { ConformanceRun } from '../conformance-run.js';
import { holds, type Judgement } from '../evidence.js';
import { needing } from '../exchange/outcome.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** How far the clock of a deployment may be from that of the check, in milliseconds. */
const skew = 10 * minute;

/**
 * Judges a time of the deployment by the check's clock. A test may have moved the deployment's clock ahead, by a day or more: then the
 * time shows nothing, unless other times of the deployment agree with the check's clock.
 */
export function judgeTime(run: ConformanceRun, time: number, now: number, expected: string): Judgement {
  const ahead = time - now;
  if (Math.abs(ahead) <= skew) {
    run.isClockRight = true;
    return holds([], 'it is', expected);
  }
  if (!run.isClockRight && ahead >= day && ahead <= 3_653 * day)
    return needing('a deployment whose clock agrees with that of the check; its times are days ahead');
  return holds([`another time, ${describeDistance(ahead)}`], '', expected);
}

function describeDistance(ahead: number): string {
  if (Number.isNaN(ahead)) return 'which cannot be read';
  const hours = Math.abs(ahead) / 60 / minute;
  const length = hours < 48 ? `${hours.toFixed(1)} hours` : `${Math.round(hours / 24)} days`;
  return `${length} ${ahead > 0 ? 'ahead' : 'behind'}`;
}
