import { altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';
import { latestClaims } from './latest-claims.js';

export const brokenOutboxes: readonly BrokenStore[] = [
  [
    'gives one more than it was asked for',
    'the outbox: gives what is due, oldest first, up to the limit, with the secret',
    altered((kept) => ({
      outbox: {
        claimDue: (subscriptionId, now, limit) => kept.outbox.claimDue(subscriptionId, now, limit + 1),
      },
    })),
  ],
  [
    'orders what is due by its time alone',
    'the outbox: gives what came at one time in the order in which it came',
    altered((kept) => ({
      outbox: {
        async claimDue(...given) {
          const claimed = [...(await kept.outbox.claimDue(...given))].reverse();
          return claimed.sort((a, b) => (a.delivery.dueAt ?? 0) - (b.delivery.dueAt ?? 0));
        },
      },
    })),
  ],
  [
    'gives a delivery to two claimers',
    'the outbox: gives a delivery to one claimer, however many claim at once',
    altered((kept) => ({
      outbox: {
        async claimDue(subscriptionId, now, limit) {
          const due = (await kept.outbox.list()).filter(
            ({ status, dueAt = now }) => status === 'pending' && dueAt <= now,
          );
          const claimed = await kept.outbox.claimDue(subscriptionId, now, limit);
          return due.slice(0, limit).map((delivery) => ({
            delivery,
            secret: 'whsec_1',
            claim: claimed.find(({ claim }) => claim.id === delivery.id)?.claim ?? {
              id: delivery.id,
              token: '',
            },
          }));
        },
      },
    })),
  ],
  [
    'leaves what is over due',
    'the outbox: is done with a delivery that is over',
    altered((kept) => ({
      outbox: {
        async recordAttempt(...given) {
          const recorded = await kept.outbox.recordAttempt(...given);
          return recorded && { dueAt: recorded.createdAt, ...recorded };
        },
      },
    })),
  ],
  [
    'keeps the last attempt alone',
    'the outbox: gives a delivery that is to be retried again when it is due, with its attempts so far',
    altered((kept) => ({
      outbox: {
        async claimDue(...given) {
          const claimed = await kept.outbox.claimDue(...given);
          return claimed.map((each) => ({ ...each, delivery: { ...each.delivery, attempts: [] } }));
        },
      },
    })),
  ],
  [
    'adds attempts to the record that it has given away',
    'the outbox: leaves what was read as it was',
    altered((kept) => ({
      outbox: {
        async recordAttempt(claim, ...given) {
          const before = (await kept.outbox.list()).find(({ id }) => id === claim.id);
          const recorded = await kept.outbox.recordAttempt(claim, ...given);
          return before && recorded && Object.assign(before, recorded);
        },
      },
    })),
  ],
  [
    'keeps the bytes of the first attempt',
    'the outbox: retries with other bytes where it is given them',
    altered((kept) => ({
      outbox: {
        recordAttempt(claim, attempt, after) {
          const { status } = after;
          const kind = status === 'pending' ? { status, dueAt: after.dueAt } : { status };
          return kept.outbox.recordAttempt(claim, attempt, kind);
        },
      },
    })),
  ],
  [
    'gives retries in the order in which their deliveries came',
    'the outbox: passes over what is not due yet, and gives retries in the order of their times',
    altered((kept) => ({
      outbox: {
        async claimDue(...given) {
          const claimed = [...(await kept.outbox.claimDue(...given))];
          return claimed.sort((a, b) => a.delivery.createdAt - b.delivery.createdAt);
        },
      },
    })),
  ],
  [
    'takes an attempt that nobody has claimed',
    'the outbox: takes an attempt only at a delivery that is claimed, and one for each claim',
    altered((kept) => ({
      outbox: {
        async recordAttempt(claim, attempt, after) {
          const recorded = await kept.outbox.recordAttempt(claim, attempt, after);
          const known = (await kept.outbox.list()).find(({ id }) => id === claim.id);
          return recorded ?? (known && { ...known, attempts: [...known.attempts, attempt] });
        },
      },
    })),
  ],
  [
    'keeps what is released',
    'the outbox: takes back what was not attempted, as it was and to its old place',
    altered(() => ({ outbox: { release: async () => {} } })),
  ],
  [
    'has whatever is released wait again',
    'the outbox: takes back nothing that is over',
    altered((kept) => ({
      outbox: {
        async release(claim) {
          await kept.outbox.release(claim);
          const state = await kept.readState();
          const deliveries = state.deliveries.map((delivery) =>
            delivery.id === claim.id ? { ...delivery, status: 'pending' as const } : delivery,
          );
          await kept.replaceState({ ...state, deliveries });
        },
      },
    })),
  ],
  [
    'loses the attempts that are under way to a deleted subscription',
    'the outbox: lets an attempt end whose subscription was deleted, and retries nothing',
    altered((kept) => ({
      root: {
        async deleteSubscription(subscriptionId) {
          const deleted = await kept.deleteSubscription(subscriptionId);
          await kept.replaceState(await kept.readState());
          return deleted;
        },
      },
    })),
  ],
  [
    'leaves what is given back waiting for a deleted subscription',
    'the outbox: cancels what is given back when its subscription was deleted',
    altered((kept) => ({
      outbox: {
        async release(claim) {
          const subscriptions = new Set((await kept.subscriptions.list()).map(({ id }) => id));
          const delivery = (await kept.outbox.list()).find(({ id }) => id === claim.id);
          if (subscriptions.has(delivery?.subscriptionId ?? '')) await kept.outbox.release(claim);
        },
      },
    })),
  ],
  [
    'takes an attempt of a stale claim',
    'the outbox: gives a delivery whose lease has run out again, and takes an attempt of the latest claim alone',
    altered((kept) => {
      const latest = latestClaims();
      return {
        outbox: {
          async claimDue(...given) {
            const claimed = await kept.outbox.claimDue(...given);
            for (const each of claimed) latest.note(each);
            return claimed;
          },
          recordAttempt: (claim, ...given) => kept.outbox.recordAttempt(latest.of(claim), ...given),
        },
      };
    }),
  ],
  [
    'gives what was abandoned after everything else',
    'the outbox: gives what was abandoned in the order of its times, among what nobody has claimed',
    altered((kept) => {
      const given = new Set<string>();
      return {
        outbox: {
          async claimDue(...due) {
            const claimed = await kept.outbox.claimDue(...due);
            const again = claimed.filter(({ delivery }) => given.has(delivery.id));
            for (const { delivery } of claimed) given.add(delivery.id);
            return [...claimed.filter((each) => !again.includes(each)), ...again];
          },
        },
      };
    }),
  ],
  [
    'keeps only those fields of an attempt that it knows',
    'the outbox: is done with a delivery that is over',
    altered((kept) => ({
      outbox: {
        recordAttempt: (claim, { machineTime, duration, receiverTime, timestamp, ...known }, after) =>
          kept.outbox.recordAttempt(claim, known, after),
      },
    })),
  ],
  [
    'gives what goes to others where nothing goes to who asks',
    'the outbox: gives what goes to another subscription to nobody else, though it was abandoned',
    altered((kept) => ({
      outbox: {
        async claimDue(subscriptionId, ...given) {
          const claimed = await kept.outbox.claimDue(subscriptionId, ...given);
          if (claimed.length > 0) return claimed;
          const others = (await kept.subscriptions.list()).filter(({ id }) => id !== subscriptionId);
          return (await Promise.all(others.map(({ id }) => kept.outbox.claimDue(id, ...given)))).flat();
        },
      },
    })),
  ],
  [
    'keeps the claim of what is released',
    'the outbox: gives what was released after its lease ran out once',
    altered((kept) => {
      const released = new Map<string, string>();
      return {
        outbox: {
          async claimDue(...given) {
            const claimed = await kept.outbox.claimDue(...given);
            const before = (await kept.outbox.list()).filter(({ id }) => released.has(id));
            const again = before.map((delivery) => ({
              delivery,
              secret: 'whsec_1',
              claim: { id: delivery.id, token: released.get(delivery.id) ?? '' },
            }));
            return [...claimed, ...again];
          },
          async release(claim) {
            await kept.outbox.release(claim);
            released.set(claim.id, claim.token);
          },
        },
      };
    }),
  ],
  [
    'delivers again with the attempts of before',
    'the outbox: delivers the same bytes again, as a delivery of its own',
    altered((kept) => ({
      outbox: {
        async redeliver(deliveryId, newId, now) {
          const again = await kept.outbox.redeliver(deliveryId, newId, now);
          const before = (await kept.outbox.list()).find(({ id }) => id === deliveryId);
          return again && { ...again, attempts: before?.attempts ?? [] };
        },
      },
    })),
  ],
  [
    'delivers again without a word of what',
    'the outbox: delivers the same bytes again, as a delivery of its own',
    altered((kept) => ({
      outbox: {
        async redeliver(...given) {
          const again = await kept.outbox.redeliver(...given);
          if (again === undefined) return undefined;
          const { redeliveryOf: _, ...others } = again;
          return others;
        },
      },
    })),
  ],
  [
    'delivers again what has no subscription any more',
    'the outbox: delivers nothing again that it does not know, or whose subscription is gone',
    altered((kept) => ({
      outbox: {
        async redeliver(deliveryId, newId, now) {
          const again = await kept.outbox.redeliver(deliveryId, newId, now);
          const before = (await kept.outbox.list()).find(({ id }) => id === deliveryId);
          return again ?? (before && { ...before, id: newId, createdAt: now, dueAt: now });
        },
      },
    })),
  ],
  [
    'lists what is over before what waits',
    'the outbox: lists deliveries in the order in which they came, however they went',
    altered((kept) => ({
      outbox: {
        async list() {
          const rank = { delivered: 0, failed: 0, cancelled: 0, pending: 1 };
          return [...(await kept.outbox.list())].sort((a, b) => rank[a.status] - rank[b.status]);
        },
      },
    })),
  ],
];
