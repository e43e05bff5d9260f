/** What waits for a signal. A signal holds one listener of ours, however many calls share it. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts. Runtimes warn of a leak when many listeners hang on one signal, and calls
 * that share a signal are no leak.
 *
 * @returns A function that ends the waiting.
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
