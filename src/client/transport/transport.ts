/** An HTTP request that is ready to send. Its headers contain the API key: do not log them. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The complete URL, with its query. */
  readonly url: string;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The serialised request body; `undefined` without one. */
  readonly body: string | undefined;
  /** Aborts the exchange at once, at any stage. */
  readonly signal: AbortSignal;
  /** A transport with {@link Transport.announcesSending} calls this right before it sends the first byte. */
  readonly onSending?: (() => void) | undefined;
  /** The maximum number of bytes to read of the response body, after decompression. Default: 10 MiB. */
  readonly maxResponseBytes?: number | undefined;
}

/** An HTTP response with the text of its body. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, decoded from UTF-8. Empty without a body. */
  readonly body: string;
  /** True if the body is longer than `maxResponseBytes`. `body` then contains at most its beginning. */
  readonly truncated?: boolean | undefined;
}

/** The default of `maxResponseBytes`, in bytes. */
export const defaultMaxResponseBytes = 10 * 1024 * 1024;

/**
 * Sends one HTTP request and returns the response. Use `undiciTransport`, or write your own if a custom `fetch` is not
 * enough.
 *
 * - It follows no redirects, does not retry, and has no timeout of its own: the client does all that. It stops when
 *   `signal` aborts.
 * - It resolves with any complete response, whatever its status.
 * - It rejects if no complete response arrived: with a `NotSentError` if the request certainly did not leave, else with
 *   any error. The client shows the code of that error and a redacted message.
 * - It stops reading a body that is longer than `maxResponseBytes`, and resolves with `truncated: true`.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type Transport } from 'messaging-automation';
 *
 * const canned: Transport = {
 *   exchange: async () => ({ status: 200, headers: new Headers(), body: '{"data":[]}' }),
 * };
 * const messaging = new MessagingAutomation({ transport: canned });
 * console.log(await messaging.templates.list()); // []
 * ```
 */
export interface Transport {
  /**
   * Whether the transport calls `onSending` of the request. If it does, a call that ends earlier knows that
   * nothing was sent, for example while it waits for a free connection. Default: false; the client then assumes that a
   * request is sent at once.
   */
  readonly announcesSending?: boolean | undefined;
  /** Sends the request and returns the response. */
  exchange(request: TransportRequest): Promise<TransportResponse>;
}

/**
 * A function that behaves like the standard `fetch`. The client calls it with a URL and passes everything else in
 * `init`.
 */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;
