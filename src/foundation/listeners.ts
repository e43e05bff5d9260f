/**
 * Calls an observer, such as a hook, a logger or a listener. It ignores what the observer throws, and what its promise
 * rejects with.
 */
export function notify(observer: () => unknown): void {
  try {
    const result = observer();
    // Most observers return nothing and need no promise.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(() => {});
  } catch {
    // Observers must not affect the work.
  }
}

/**
 * The listeners by signal. A signal has one listener of this package, however many calls share the signal.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts. It adds one listener per signal, because runtimes warn of a leak if one
 * signal has many.
 *
 * @returns A function that removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = waiting.get(signal) ?? listenTo(signal);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', runAll);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  waiting.set(signal, listeners);
  signal.addEventListener('abort', runAll, { once: true });
  return listeners;
}

function runAll(this: AbortSignal): void {
  for (const listener of [...(waiting.get(this) ?? [])]) listener();
}
