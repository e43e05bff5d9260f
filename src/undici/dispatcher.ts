/**
 * A dispatcher of undici: an `Agent`, a `Pool`, a `ProxyAgent`, a `MockAgent`, or one composed of interceptors.
 *
 * Do not add interceptors that send a request again (`retry`, `redirect`). The client does not see their requests, and
 * could no longer prevent duplicate sends.
 */
export interface UndiciDispatcher {
  /** undici's own method. */
  dispatch(options: object, handler: object): boolean;
}
