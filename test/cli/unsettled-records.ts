import { randomUUID } from 'node:crypto';
import type { KeyValueService } from 'messaging-automation';
import type { UnsettledKey } from '../../src/client/idempotency/unsettled.js';
import { digest } from '../../src/key-value/records.js';

/** Leaves a key in a store as a process does that died while it made its request. */
export async function leaveUnsettled(store: KeyValueService, unsettled: UnsettledKey): Promise<void> {
  const { operation, idempotencyKey: key = 'a key of 0.2.0', about, contact, since, baseUrl } = unsettled;
  const name = `${operation === 'events.track' ? 'event' : 'send'}:${await digest(key)}`;
  const facts = unsettled.idempotencyKey === undefined ? undefined : { key, about, contact, since };
  const record = { state: 'sending', call: randomUUID(), use: await digest(name), baseUrl, unsettled: facts };
  await store.set(name, JSON.stringify(record), 3_600_000);
}
