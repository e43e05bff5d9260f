import type { Entry } from '../../surface/entry.js';

/** The types of entries, in the order of the filter. A type that is missing here does not compile. */
const order = {
  request: 0,
  send: 1,
  message: 2,
  event: 3,
  journey: 4,
  attempt: 5,
  fault: 6,
} as const satisfies Readonly<Record<Entry['type'], number>>;

const isKind = (name: string): name is Entry['type'] => Object.hasOwn(order, name);

export const kinds: readonly Entry['type'][] = Object.keys(order).filter(isKind);
