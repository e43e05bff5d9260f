import { createWarnings } from '../foundation/runtime.js';

/**
 * A client or a pool. It emits `error` when an idle connection fails, and a store listens to that event.
 */
export interface StoreConnection {
  /** Adds a listener. */
  on?(event: 'error', listener: (error: unknown) => void): unknown;
  /** Returns the number of listeners. */
  listenerCount?(event: 'error'): number;
}

const listenedTo = /* @__PURE__ */ new WeakSet<object>();

/**
 * Listens to `error`, once for each emitter. Without a listener, Node would end the process when a server restarts, although the
 * clients reconnect. Warns of the first error if there is no other listener.
 *
 * @param name - What the emitter is, for the warning.
 */
export function listenForConnectionErrors(emitter: StoreConnection, name: string): void {
  if (typeof emitter.on !== 'function' || listenedTo.has(emitter)) return;
  listenedTo.add(emitter);
  const warnOnce = createWarnings('MessagingAutomationStore');
  emitter.on('error', (error) => {
    if ((emitter.listenerCount?.('error') ?? 1) > 1) return;
    warnOnce(
      name,
      `The ${name} lost a connection: ${describe(error)}. Until it is back, no send with an idempotency key is made, and no delivery ` +
        'is handled. Listen to its "error" event to log this yourself.',
    );
  });
}

/** Returns the code and not the message, because a message may contain the connection's settings. */
function describe(error: unknown): string {
  const words: readonly unknown[] = ['code', 'name'].map((field) => Reflect.get(Object(error), field));
  const known = words.filter((word) => typeof word === 'string').find((word) => /^\w{1,40}$/.test(word));
  return known ?? 'unknown error';
}
