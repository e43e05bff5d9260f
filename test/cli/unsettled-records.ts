import type { KeyValueService } from 'messaging-automation';
import type { UnsettledKey } from '../../src/client/idempotency/unsettled.js';
import { digest } from '../../src/key-value/records.js';

/** Leaves a key in a store as a process does that died while it made its request. */
export async function leaveUnsettled(store: KeyValueService, unsettled: UnsettledKey): Promise<void> {
  const { operation, idempotencyKey } = unsettled;
  const name = `${operation === 'events.track' ? 'event' : 'send'}:${await digest(idempotencyKey)}`;
  await store.set(name, JSON.stringify({ state: 'sending', unsettled }), 3_600_000);
}
