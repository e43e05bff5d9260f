import type { Delivery } from '../surface/entry.js';
import { fromNow } from './times.js';
import type { Tone } from './told.js';

/** How a delivery stands, in a word or two. */
export function deliveryInWords(
  { status, attempts, dueAt }: Delivery,
  now: number,
): { readonly text: string; readonly tone: Tone } {
  switch (status) {
    case 'delivered':
      return { text: 'delivered', tone: 'ok' };
    case 'failed':
      return { text: 'failed', tone: 'bad' };
    case 'cancelled':
      return { text: 'cancelled', tone: 'plain' };
    case 'pending': {
      if (attempts.length === 0 || dueAt === undefined || dueAt <= now)
        return { text: 'delivering …', tone: 'wait' };
      return { text: `retry ${fromNow(dueAt, now)}`, tone: 'wait' };
    }
  }
}
