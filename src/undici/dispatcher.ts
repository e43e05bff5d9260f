/**
 * A dispatcher of undici's: an `Agent`, a `Pool`, a `ProxyAgent`, a `MockAgent`, or one composed of interceptors.
 *
 * Leave out interceptors that send a request again (`retry`, `redirect`): they would do so beneath the client,
 * which could then no longer promise that a message is sent once.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 * import { type UndiciDispatcher, undiciTransport } from 'messaging-automation/undici';
 * import { Agent } from 'undici';
 *
 * const dispatcher: UndiciDispatcher = new Agent({ connect: { timeout: 2_000 } });
 * const messaging = new MessagingAutomation({ transport: undiciTransport({ dispatcher }) });
 * console.log(await messaging.templates.list());
 * ```
 */
export interface UndiciDispatcher {
  /** As undici has it. */
  dispatch(options: object, handler: object): boolean;
}
