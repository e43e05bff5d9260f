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
  return new Proxy(observed, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'object' && value !== null) return observe(value, changed);
      if (typeof value !== 'function') return value;
      const perform = (...words: unknown[]): unknown => Reflect.apply(value, target, words);
      if (readingVerb.test(String(name))) return perform;
      return async (...words: unknown[]) => {
        const result = await perform(...words);
        changed();
        return result;
      };
    },
  });
}
