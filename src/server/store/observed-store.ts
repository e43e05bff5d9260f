import { isObject } from '../../foundation/is-object.js';
import type { Effects } from './effects.js';
import { type Store, storeEffects } from './store.js';

/** Wraps a store, and calls `changed` after each method that may have changed its state. */
export function observedStore(store: Store, changed: () => void): Store {
  return observe(store, storeEffects, changed);
}

/** Wraps the methods that are declared to write. */
function observe<Observed extends object>(
  observed: Observed,
  effects: Effects,
  changed: () => void,
): Observed {
  // Each wrapper is created only once, because every request uses them.
  const made = new WeakMap<object, unknown>();
  return new Proxy(observed, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const effect = typeof name === 'string' ? effects[name] : undefined;
      if (effect === undefined) return member;
      if (typeof member !== 'function') return observePart(member, effect, changed, made);
      return madeOnce(made, member, () => {
        const perform = (...words: unknown[]): unknown => Reflect.apply(member, target, words);
        if (effect !== 'writes') {
          return (...words: unknown[]) => observePart(perform(...words), effect, changed, made);
        }
        return async (...words: unknown[]) => {
          const result = await perform(...words);
          changed();
          return result;
        };
      });
    },
  });
}

function observePart(
  part: unknown,
  effects: Effects[string],
  changed: () => void,
  made: WeakMap<object, unknown>,
): unknown {
  if (typeof effects === 'string' || !isObject(part)) return part;
  return madeOnce(made, part, () => observe(part, effects, changed));
}

function madeOnce(made: WeakMap<object, unknown>, from: object, make: () => unknown): unknown {
  const known = made.get(from);
  if (known !== undefined) return known;
  const created = make();
  made.set(from, created);
  return created;
}
