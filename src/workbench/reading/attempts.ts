import type { Delivery } from '../surface/entry.js';
import type { Tone } from './describe-entry.js';
import { fromNow } from './times.js';

/** The responses of the attempts, in order. Equal ones stand together: `500 ×3`. */
export function responsesInWords({ attempts, status }: Delivery): string {
  if (status === 'delivered' && attempts.length === 1) return '';
  const runs: { readonly text: string; count: number }[] = [];
  for (const { status: returned } of attempts) {
    const text = returned === undefined ? 'no response' : String(returned);
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
