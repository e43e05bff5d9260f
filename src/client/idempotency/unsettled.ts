import type { KeyValueService } from '../../key-value/key-value-service.js';
import { digest } from '../../key-value/records.js';

/** An idempotency key whose outcome is unknown. */
export interface UnsettledKey {
  /** The key, as the program gave it. */
  readonly idempotencyKey: string;
  readonly operation: 'transactional.send' | 'events.track';
  /** The template's id, or the event's name. */
  readonly about: string;
  /** The masked phone, or the contact's id. */
  readonly contact: string;
  /** In epoch milliseconds, by the clock of the process that claimed the key. */
  readonly since: number;
  /** The deployment. */
  readonly baseUrl: string | undefined;
}

/** Lists the keys whose outcome is unknown, `limit` at most. */
export async function unsettledKeys(
  store: KeyValueService,
  { limit }: { readonly limit: number },
): Promise<readonly UnsettledKey[]> {
  const found: UnsettledKey[] = [];
  for (const prefix of ['send:', 'event:']) {
    for await (const { value } of store.list?.(prefix, '{"state":"sending"') ?? []) {
      if (found.length === limit) return found;
      found.push(JSON.parse(value).unsettled);
    }
  }
  return found;
}

/** Settles a key, and returns whether its outcome was unknown. */
export async function settleKey(
  store: KeyValueService,
  settlement: {
    readonly operation: 'transactional.send' | 'events.track';
    readonly idempotencyKey: string;
    readonly outcome: 'sent' | 'not_sent';
    readonly retention: number;
  },
): Promise<boolean> {
  const { operation, idempotencyKey, outcome, retention } = settlement;
  const name = `${operation === 'events.track' ? 'event' : 'send'}:${await digest(idempotencyKey)}`;
  const text = (await store.get(name)) ?? '';
  if (!text.startsWith('{"state":"sending"')) return false;
  if (outcome === 'not_sent') return store.deleteIfEqual(name, text);
  return store.replaceIfEqual(name, text, text.replace('sending', 'sent'), retention);
}
