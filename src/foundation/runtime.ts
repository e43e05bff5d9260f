/** What `look` finds. A look that throws finds nothing: some edge runtimes have functions and properties that only throw. */
export function attempt<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/**
 * What the runtime has under these names, from `globalThis` on: `probe('process', 'env')`. `undefined` where it has none, or where
 * looking throws. Every part of a runtime that may be missing is looked for here. Reflection, because the names do not exist without
 * the types of Node or of browsers, and because bundlers add polyfills for names that they find.
 */
export function probe(...names: readonly [string, ...string[]]): unknown {
  return attempt(() => names.reduce<unknown>((owner, name) => Reflect.get(Object(owner), name), globalThis));
}

/**
 * A builtin module of Node, or `undefined` where the runtime has none of that name. It is looked up at run time and not
 * imported, so that this package loads in browsers and on edge runtimes, and bundlers add no polyfill.
 */
export function builtinModule(id: `node:${string}`): unknown {
  return callOfProcess(probe('process', 'getBuiltinModule'), id)?.[0];
}

/** How many subjects of one kind are warned of, because a subject may come from outside. */
const mostWarnings = 1_000;

/**
 * Creates a function that warns once per subject, for problems that no handler takes. Where there is a `process`, it
 * emits a process warning, so that the switches of the runtime apply.
 *
 * @param name The name of the warning, which says its kind.
 */
export function createWarnings(name: string): (subject: string, message: string) => void {
  const warned = new Set<string>();
  return (subject, message) => {
    if (warned.has(subject) || warned.size === mostWarnings) return;
    warned.add(subject);
    warn(message, name);
  };
}

function warn(message: string, name: string): void {
  if (callOfProcess(probe('process', 'emitWarning'), message, name)) return;
  // biome-ignore lint/suspicious/noConsole: the one place to warn at where there is no process.
  attempt(() => console.warn(message));
}

/** What a function of `process` returned, in an array; `undefined` where there is no such function, or where it throws. */
function callOfProcess(method: unknown, ...given: readonly string[]): readonly [unknown] | undefined {
  return attempt(() => [Reflect.apply(Object(method), probe('process'), given)]);
}
