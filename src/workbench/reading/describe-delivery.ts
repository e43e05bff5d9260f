import type { Delivery } from '../surface/entry.js';
import { dataIn, type Tone } from './describe-entry.js';
import type { Person } from './people.js';
import { fromNow } from './times.js';

/** The path of a receiver, which tells receivers of one host apart. */
export function pathOf(url: string): string {
  return /^[^/]*\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || '/';
}

/** Whose event a delivery carries: the name or the phone of the contact, and what the contact wrote. */
export function subjectOf(
  delivery: Pick<Delivery, 'body' | 'event'>,
  people: ReadonlyMap<string, Person>,
): string {
  const { contactId, phone, body } = dataIn(delivery);
  const person = typeof contactId === 'string' ? people.get(contactId) : undefined;
  const who = person?.name ?? person?.phone ?? (typeof phone === 'string' ? phone : '');
  return `${who} ${typeof body === 'string' ? `“${body}”` : delivery.event}`.trimStart();
}

/** The responses of the attempts, in order, unless the first one succeeded. */
export function responsesInWords({ attempts, status }: Delivery): string {
  if (status === 'delivered' && attempts.length === 1) return '';
  return attempts.map((attempt) => attempt.status ?? 'no response').join(', ');
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
