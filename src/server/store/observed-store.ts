import type { Store } from './store.js';

/** The verbs that change nothing of what is kept: a claim ends with the process. */
const readingVerb = /^(find|list|read|count|claim|release)/;

/** The same store, which tells after each verb that may have changed what it holds. */
export function observedStore(store: Store, changed: () => void): Store {
  const observed = observe(store, changed);
  return new Proxy(observed, {
    get: (target, name) =>
      name === 'workspace'
        ? (id: string) => observe(store.workspace(id), changed)
        : Reflect.get(target, name),
  });
}

/** Verbs tell, and so do those of the aggregates. */
function observe<Observed extends object>(observed: Observed, changed: () => void): Observed {
  // Each is made once: every request goes through them.
  const aggregates = new WeakMap<object, object>();
  const verbs = new WeakMap<object, unknown>();
  return new Proxy(observed, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null) {
        return madeOnce(aggregates, member, () => observe(member, changed));
      }
      if (typeof member !== 'function') return member;
      return madeOnce(verbs, member, () => {
        const perform = (...words: unknown[]): unknown => Reflect.apply(member, target, words);
        if (readingVerb.test(String(name))) return perform;
        return async (...words: unknown[]) => {
          const result = await perform(...words);
          changed();
          return result;
        };
      });
    },
  });
}

function madeOnce<Made>(made: WeakMap<object, Made>, from: object, make: () => Made): Made {
  const known = made.get(from);
  if (known !== undefined) return known;
  const created = make();
  made.set(from, created);
  return created;
}
