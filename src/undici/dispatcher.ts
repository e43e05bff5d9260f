/**
 * A dispatcher of undici's: an `Agent`, a `Pool`, a `ProxyAgent`, a `MockAgent`, or one composed of interceptors.
 *
 * Leave out interceptors that send a request again (`retry`, `redirect`): they would do so beneath the client,
 * which could then no longer promise that a message is sent once.
 */
export interface UndiciDispatcher {
  /** As undici has it. */
  dispatch(options: object, handler: object): boolean;
}
