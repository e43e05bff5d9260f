/** One HTTP request, ready for the wire. Its headers hold the API key: they are not for a log. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The whole address, with its query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The serialised body, where there is one. */
  readonly body: string | undefined;
  /** Ends the exchange at once, wherever it stands. */
  readonly signal: AbortSignal;
  /** For a transport that has {@link Transport.announcesSending}: it calls this right before the first byte goes out. */
  readonly onSending?: (() => void) | undefined;
  /** How many bytes of the body to read at most, counted after decompression. Default: 10 MiB. */
  readonly maxResponseBytes?: number | undefined;
}

/** One HTTP response, with the text of its body. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, decoded from UTF-8; empty where there is none. */
  readonly body: string;
  /** True where the body is longer than `maxResponseBytes`; `body` then holds at most its beginning. */
  readonly truncated?: boolean | undefined;
}

/** How many bytes of a body a transport reads where the request does not say. */
export const defaultMaxResponseBytes = 10 * 1024 * 1024;

/**
 * Carries one HTTP request to the service and its response back: what `undiciTransport` makes, and what a program
 * may write for itself where a `fetch` of its own is not enough.
 *
 * It follows no redirect, repeats nothing and knows no deadline but the signal: all that is the client's. It
 * resolves with any answer, whatever its status, and rejects when none came whole: with a `NotSentError` where it
 * knows that nothing has left, else with what was thrown, of which the client shows a code and a cleaned message.
 * A body longer than `maxResponseBytes` it stops reading, and resolves with `truncated: true`.
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
   * Whether the transport calls {@link TransportRequest.onSending}. A call that ends before that knows that nothing was
   * sent: while it waits for a free connection, say. Default: false; then a request may be sent at once.
   */
  readonly announcesSending?: boolean | undefined;
  /** Makes one exchange. */
  exchange(request: TransportRequest): Promise<TransportResponse>;
}

/** A function that does what the standard `fetch` does, called with a URL and everything else in `init`. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;
