import { createWarnings } from '../../foundation/warnings.js';

/**
 * A client or a pool, which emits `error` when a connection fails that nobody is using. A dedupe store listens to it.
 */
export interface DedupeConnection {
  /** Begins to listen. */
  on?(event: 'error', listener: (error: unknown) => void): unknown;
  /** How many listen. */
  listenerCount?(event: 'error'): number;
}

const listenedTo = /* @__PURE__ */ new WeakSet<object>();

/**
 * Listens to `error`, once for each emitter. Node ends the process for an `error` that nobody listens to, and a server
 * that restarts is no reason for that: the clients connect again by themselves. Warns of the first error where nobody
 * else listens.
 */
export function listenForConnectionErrors(emitter: DedupeConnection, name: string): void {
  if (typeof emitter.on !== 'function' || listenedTo.has(emitter)) return;
  listenedTo.add(emitter);
  const warnOnce = createWarnings('MessagingAutomationDedupe');
  emitter.on('error', (error) => {
    if ((emitter.listenerCount?.('error') ?? 1) > 1) return;
    warnOnce(
      name,
      `The ${name} of a dedupe store lost a connection: ${describe(error)}. Deliveries that cannot be claimed are ` +
        `answered with 500 until it is back. Listen to its "error" event to log this yourself.`,
    );
  });
}

/** The code rather than the message, which may hold whatever the connection was given. */
function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown error';
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code;
  const name: unknown = Reflect.get(error, 'name');
  return typeof name === 'string' && /^\w{1,40}$/.test(name) ? name : 'unknown error';
}
