/**
 * Tells an observer: a hook, a logger, a listener. What it throws, and what a promise of its rejects with, changes
 * nothing about the work that it observes.
 */
export function notify(observer: () => unknown): void {
  try {
    const result = observer();
    // Most observers give nothing, and are spared the promise.
    if (typeof result === 'object' && result !== null) Promise.resolve(result).catch(() => {});
  } catch {
    // The work goes on.
  }
}
