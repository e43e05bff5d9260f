import type { DeliverySnapshot } from '../surface/entry.js';

/** The ids of the subscriptions of the workspace. Undefined until they are known. */
type Subscriptions = ReadonlySet<string> | undefined;

/** A delivery as it is now: what waits for a subscription that is gone is cancelled, which no entry says. */
export function asItIs(delivery: DeliverySnapshot, subscriptions: Subscriptions): DeliverySnapshot {
  const isCancelled = delivery.status === 'pending' && subscriptions?.has(delivery.subscriptionId) === false;
  return isCancelled ? { ...delivery, status: 'cancelled' } : delivery;
}

/** The failed deliveries that can be sent again, and that nothing has sent again, each once. */
export function failingIn(
  deliveries: Iterable<DeliverySnapshot>,
  subscriptions: Subscriptions,
): readonly DeliverySnapshot[] {
  const latest = new Map([...deliveries].map((delivery) => [delivery.id, delivery]));
  const repeated = new Set([...latest.values()].map(({ redeliveryOf }) => redeliveryOf));
  return [...latest.values()].filter(
    ({ id, status, subscriptionId }) =>
      status === 'failed' && subscriptions?.has(subscriptionId) !== false && !repeated.has(id),
  );
}

/** A delivery and those that sent it again, in order. */
export type Chain = readonly DeliverySnapshot[];

/** The deliveries, each with those that sent it again. */
export function chainsOf(deliveries: Iterable<DeliverySnapshot>): readonly Chain[] {
  const chains = new Map<string, DeliverySnapshot[]>();
  for (const delivery of deliveries) {
    const { id, redeliveryOf = id } = delivery;
    const chain = chains.get(redeliveryOf) ?? [];
    chain.push(delivery);
    chains.set(redeliveryOf, chain).set(id, chain);
  }
  return [...new Set(chains.values())];
}
