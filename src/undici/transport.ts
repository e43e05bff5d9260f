import { Agent } from 'undici';
import type { Transport } from '../client/transport/transport.js';
import type { UndiciDispatcher } from './dispatcher.js';
import { exchange } from './exchange.js';

/** How `undiciTransport` connects. */
export interface UndiciTransportOptions {
  /**
   * How many connections to hold to the service at most; further requests wait for one, and their wait counts
   * against their deadline. Default: as many as there are requests at once.
   */
  readonly connections?: number | undefined;
  /**
   * Makes the exchanges, in place of connections of the transport's own; it stays yours to close. Not together
   * with `connections`.
   */
  readonly dispatcher?: UndiciDispatcher | undefined;
}

/** What `undiciTransport` makes: the transport, which owns its connections and can be closed. */
export interface UndiciTransport extends Transport, AsyncDisposable {
  /**
   * Closes the transport's own connections, after the calls that are on their way. Later calls fail, with nothing
   * sent. Idle connections do not keep a process alive, so one that just ends need not call this.
   */
  close(): Promise<void>;
}

/**
 * A transport for throughput: HTTP through `undici` (a package to install beside this one, version 7 or 8)
 * without `fetch` around it, for half of the CPU time a call or less. On Node only.
 *
 * What a call means does not change: retries, deadline, errors and what they tell are those of the client. Unlike
 * `fetch`, it asks for uncompressed answers.
 *
 * @throws {TypeError} where an option makes no sense.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 * import { undiciTransport } from 'messaging-automation/undici';
 *
 * await using transport = undiciTransport({ connections: 20 });
 * const messaging = new MessagingAutomation({ transport });
 * const phones = ['+15551234567', '+15557654321'];
 * await Promise.all(phones.map((phone) => messaging.contacts.upsert({ phone })));
 * ```
 */
export function undiciTransport({ connections, dispatcher }: UndiciTransportOptions = {}): UndiciTransport {
  if (connections !== undefined && !(Number.isInteger(connections) && connections > 0))
    throw new TypeError('connections must be a whole number, 1 or more.');
  if (connections !== undefined && dispatcher !== undefined)
    throw new TypeError('Give connections or dispatcher, not both: a dispatcher has its own.');

  if (dispatcher !== undefined && typeof dispatcher?.dispatch !== 'function')
    throw new TypeError('dispatcher must be a dispatcher of undici, such as new Agent().');

  if (dispatcher !== undefined) return transportOver(dispatcher, () => Promise.resolve());
  // The client's deadline is the only one; undici's timers for headers and body would be two more.
  const agent = new Agent({ connections: connections ?? null, headersTimeout: 0, bodyTimeout: 0 });
  let closed: Promise<void> | undefined;
  return transportOver(agent, () => {
    closed ??= agent.close();
    return closed;
  });
}

function transportOver(dispatcher: UndiciDispatcher, close: () => Promise<void>): UndiciTransport {
  return {
    announcesSending: true,
    exchange: (request) => exchange(dispatcher, request),
    close,
    [Symbol.asyncDispose]: close,
  };
}
