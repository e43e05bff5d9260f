import { type Call, callsOf, mayHaveHappened } from '../calls.js';
import type { Subscription } from './evidence.js';

/** A subscription that there was, and between which calls it was there. */
export interface KnownSubscription {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly maybeFrom: number;
  readonly surelyFrom: number;
  readonly maybeUntil: number;
  readonly surelyUntil: number;
}

/** Every subscription that the workspace was given, or has at the end. */
export function knownSubscriptions(
  after: readonly Subscription[],
  calls: readonly Call[],
): ReadonlyMap<string, KnownSubscription> {
  const known = new Map<string, KnownSubscription>();
  const ends = (id: string) => {
    const deletions = callsOf(calls, 'unsubscribe').filter((call) => call.subscriptionId === id);
    return {
      maybeUntil: Math.min(...deletions.filter(mayHaveHappened).map(({ from }) => from)),
      surelyUntil: Math.min(...deletions.filter(({ outcome }) => outcome === 'success').map(({ to }) => to)),
    };
  };
  for (const { url, events, created, from, to } of callsOf(calls, 'subscribe')) {
    if (created === undefined) continue;
    known.set(created.id, { ...created, url, events, maybeFrom: from, surelyFrom: to, ...ends(created.id) });
  }
  for (const { id, url, events, secret } of after) {
    if (known.has(id)) continue;
    // Somebody's call whose response was lost.
    const from =
      callsOf(calls, 'subscribe').find((call) => call.url === url)?.from ?? Number.POSITIVE_INFINITY;
    known.set(id, {
      id,
      url,
      events,
      secret,
      maybeFrom: from,
      surelyFrom: Number.POSITIVE_INFINITY,
      ...ends(id),
    });
  }
  return known;
}

/** How many deliveries of an event a subscription is to get, given when what caused it began and ended. */
export function deliveriesTo(
  { events, maybeFrom, surelyFrom, maybeUntil, surelyUntil }: KnownSubscription,
  event: string,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly least: number; readonly most: number } {
  if (!events.includes(event) || to < maybeFrom || from > surelyUntil) return { least: 0, most: 0 };
  const surely = from > surelyFrom && to < maybeUntil;
  return { least: surely ? 1 : 0, most: 1 };
}
