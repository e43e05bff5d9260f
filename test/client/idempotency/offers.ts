import {
  type ClientOptions,
  IdempotencyError,
  MessagingAutomation,
  RequestError,
  type UnsettledKey,
} from 'messaging-automation';
import { indices, phoneOf } from '../bulk/items.js';

/** How many calls of a process are under way at once. */
export const concurrency = 8;

/** Items with an even index are messages, the others are events. */
export const operationOf = (index: number): UnsettledKey['operation'] =>
  index % 2 === 0 ? 'transactional.send' : 'events.track';

/** A message and an event share a key. */
export const keyOf = (index: number) => `campaign ${Math.floor(index / 2)}`;

/** The index of the item with a key. */
export function indexOfKey({ operation, idempotencyKey = '' }: UnsettledKey): number {
  const first = 2 * Number(idempotencyKey.replace('campaign ', ''));
  return operation === operationOf(first) ? first : first + 1;
}

export const contactIdOf = (index: number) => `contact-${index}`;

/** The index of the item that a request is for. */
export function indexOfRequest({ body }: RequestInit): number {
  const { phone, contactId }: { phone?: string; contactId?: string } = JSON.parse(String(body));
  if (phone !== undefined) return Number(phone.slice('+1555'.length)) - 1_000_000;
  return Number(contactId?.slice('contact-'.length));
}

/** A client with the defaults of the campaign. */
export function clientFor(options: ClientOptions): MessagingAutomation {
  return new MessagingAutomation({ retries: 1, timeout: 5_000, onDrift: () => {}, ...options });
}

/** What has become of an offer: `done`, `unclear` if its call made a request and does not know, or the code or the name of its error. */
export type OfferOutcome = string;

/** How items are offered. */
export interface Offering {
  /** After how many milliseconds the caller of each call gives up. Default: never. */
  readonly patience?: number | undefined;
  readonly onOutcome?: (outcome: OfferOutcome) => void;
}

/**
 * Offers each of the items, eight at a time.
 *
 * @returns What has become of each.
 */
export async function offer(
  messaging: MessagingAutomation,
  items: readonly number[],
  { patience, onOutcome = () => {} }: Offering = {},
): Promise<ReadonlyMap<number, OfferOutcome>> {
  const outcomes = new Map<number, OfferOutcome>();
  const left = [...items];
  async function lane(): Promise<void> {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const signal = patience === undefined ? undefined : AbortSignal.timeout(patience);
      const outcome = await call(messaging, index, signal).then(
        (isConfirmed) => (isConfirmed ? 'done' : 'unclear'),
        outcomeOf,
      );
      outcomes.set(index, outcome);
      onOutcome(outcome);
    }
  }
  await Promise.all(indices(concurrency).map(lane));
  return outcomes;
}

/** Sends the message, or tracks the event of an item. Returns whether the service says that it has. */
async function call(
  { transactional, events }: MessagingAutomation,
  index: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const options = { idempotencyKey: keyOf(index), signal };
  if (operationOf(index) === 'transactional.send') {
    const { success } = await transactional.send({ phone: phoneOf(index), templateId: 'spring' }, options);
    return success === true;
  }
  const contact = index % 4 === 1 ? { phone: phoneOf(index) } : { contactId: contactIdOf(index) };
  const { accepted } = await events.track({ event: 'spring_came', ...contact }, options);
  return accepted === true;
}

function outcomeOf(thrown: unknown): OfferOutcome {
  if (thrown instanceof IdempotencyError) return thrown.code;
  if (!(thrown instanceof RequestError) || thrown.outcome === 'unknown') return 'unclear';
  return thrown.code ?? thrown.name;
}
