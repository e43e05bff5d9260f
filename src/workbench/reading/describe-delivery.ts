import type { DeliverySnapshot } from '../surface/entry.js';
import { dataIn, type EntryDescription, type Tone } from './describe-entry.js';
import type { Person } from './people.js';
import { fromNow } from './times.js';

/** Describes a delivery by the path of its receiver, which tells receivers of one host apart, and by whose event it carries. */
export function describeDelivery(
  delivery: DeliverySnapshot,
  people: ReadonlyMap<string, Person>,
  now: number,
): EntryDescription {
  const { contactId, phone, body } = dataIn(delivery);
  const person = typeof contactId === 'string' ? people.get(contactId) : undefined;
  const who = person?.name ?? person?.phone ?? (typeof phone === 'string' ? phone : '');
  const what = typeof body === 'string' ? `“${body}”` : delivery.event;
  const { text, tone } = describeStatus(delivery, now);
  return {
    title: /^[^/]*\/\/[^/?#]*([^?#]*)/.exec(delivery.url)?.[1] || '/',
    detail: [...responsesOf(delivery), `${who} ${what}`.trimStart()].join(' · '),
    outcome: text,
    tone,
  };
}

/** The responses of the attempts in words, unless the first one succeeded. Equal ones stand together: `500 ×3`. */
function responsesOf({ attempts, status }: DeliverySnapshot): readonly string[] {
  if (attempts.length === 0 || (status === 'delivered' && attempts.length === 1)) return [];
  const runs: { readonly text: string; count: number }[] = [];
  for (const { status: returned } of attempts) {
    const text = String(returned ?? 'no response');
    const last = runs.at(-1);
    if (last?.text === text) last.count += 1;
    else runs.push({ text, count: 1 });
  }
  return [runs.map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`)).join(', ')];
}

const tones = { delivered: 'ok', failed: 'bad', cancelled: 'plain' } as const;

/** Describes the status of a delivery in a word or two. */
export function describeStatus(
  { status, dueAt, attempts }: DeliverySnapshot,
  now: number,
): { readonly text: string; readonly tone: Tone } {
  if (status !== 'pending') return { text: status, tone: tones[status] };
  if (dueAt !== undefined && dueAt > now && attempts.length > 0)
    return { text: `retry ${fromNow(dueAt, now)}`, tone: 'wait' };
  return { text: 'delivering …', tone: 'wait' };
}
