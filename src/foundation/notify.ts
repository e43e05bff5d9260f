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
