/**
 * Sends the client's requests through [undici](https://undici.nodejs.org), for many requests at once on Node.js. Requires `undici`
 * 7 or 8.
 *
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 * import { undiciTransport } from 'messaging-automation/undici';
 *
 * await using transport = undiciTransport({ connections: 50 });
 * const messaging = new MessagingAutomation({ transport });
 * console.log(await messaging.templates.list());
 * ```
 *
 * Read on: [configure the client](../../docs/guides/client.md#use-another-transport).
 *
 * @module messaging-automation/undici
 */
export type { UndiciDispatcher } from './exchange.js';
export { type UndiciTransport, type UndiciTransportOptions, undiciTransport } from './transport.js';
