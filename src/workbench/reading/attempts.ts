import type { Delivery } from '../surface/entry.js';
import type { Tone } from './describe-entry.js';
import { fromNow } from './times.js';

/** A point of a delivery's time axis. */
export interface AxisPoint {
  /** From 0 to 1. */
  readonly position: number;
  readonly at: number;
  readonly label: string;
  readonly outcome: string;
  readonly tone: Tone;
}

/**
 * The attempts of a delivery, and the next one where one is due, on an axis from the first to the last. Attempts that are
 * close to each other keep a distance that can be read.
 */
export function axisOf({ attempts, dueAt, status }: Delivery, now: number): readonly AxisPoint[] {
  const made = attempts.map(
    ({ number, startedAt, status: answered, error, duration }) =>
      ({
        at: startedAt,
        label: `attempt ${number}`,
        outcome: [answered ?? 'no response', ...(duration === undefined ? [] : [`${duration} ms`])].join(
          ' · ',
        ),
        tone: error === undefined ? 'ok' : 'bad',
      }) as const,
  );
  const isDue = status === 'pending' && dueAt !== undefined;
  const next = {
    at: dueAt ?? now,
    label: `attempt ${attempts.length + 1}`,
    outcome: fromNow(dueAt ?? now, now),
    tone: 'wait',
  } as const;
  const points = isDue ? [...made, next] : made;
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  const span = last.at - first.at;
  const even = (index: number) => (points.length === 1 ? 0 : index / (points.length - 1));
  const byTime = (at: number) => (span === 0 ? 0 : (at - first.at) / span);
  // Half by time, half by order, so that the gaps show their proportions and no two points overlap.
  return points.map((point, index) => ({
    ...point,
    position: span === 0 ? even(index) : (even(index) + byTime(point.at)) / 2,
  }));
}

/** The responses of the attempts, in order. Equal ones stand together: `500 ×3`. */
export function answersInWords({ attempts, status }: Delivery): string {
  if (status === 'delivered' && attempts.length === 1) return '';
  const runs: { readonly text: string; count: number }[] = [];
  for (const { status: answered } of attempts) {
    const text = answered === undefined ? 'no response' : String(answered);
    const last = runs.at(-1);
    if (last?.text === text) last.count += 1;
    else runs.push({ text, count: 1 });
  }
  return runs.map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`)).join(', ');
}

const tones = { delivered: 'ok', failed: 'bad', cancelled: 'plain' } as const;

/** Describes the status of a delivery in a word or two. */
export function describeStatus(
  { status, dueAt, attempts }: Delivery,
  now: number,
): { readonly text: string; readonly tone: Tone } {
  if (status !== 'pending') return { text: status, tone: tones[status] };
  if (dueAt !== undefined && dueAt > now && attempts.length > 0)
    return { text: `retry ${fromNow(dueAt, now)}`, tone: 'wait' };
  return { text: 'delivering …', tone: 'wait' };
}
