import { MessagingAutomationError } from '../../foundation/base-error.js';
import { isObject } from '../../foundation/is-object.js';
import { hasMethods } from '../../foundation/options.js';

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
  /**
   * A transport with {@link Transport.announcesSending} calls this right before it sends the first byte. If it throws, the request must not
   * leave: the transport rejects with that error.
   */
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

/** What a `fetch` function or a transport returned is no HTTP response. Its message says why. */
export class ForeignResponseError extends MessagingAutomationError {}

/**
 * Reads what a transport returned, each field once. A transport or a `fetch` function without types may return anything, and a response
 * without headers, or with plain ones, still says whether the request was carried out.
 *
 * @throws {ForeignResponseError} when it is no HTTP response.
 */
export function receivedResponse(given: unknown): TransportResponse {
  const { status, headers, body, truncated }: Readonly<Record<string, unknown>> = Object(given);
  // Browsers hide the status of a redirect as 0.
  const isStatus =
    status === 0 || (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 999);
  if (!isStatus) throw new ForeignResponseError('its status is not a whole number from 200 to 999');
  if (typeof body !== 'string') throw new ForeignResponseError('its body is not a string');
  return { status: Number(status), headers: headersFrom(headers), body, truncated: truncated === true };
}

/** The headers of any `Headers` class as they are, and those of a plain object as far as they are valid. */
function headersFrom(given: unknown): Headers {
  if (areHeaders(given)) return given;
  const headers = new Headers();
  for (const [name, value] of isObject(given) ? Object.entries(given) : []) {
    try {
      headers.append(name, String(value));
    } catch {
      // Not a header: the others may be.
    }
  }
  return headers;
}

/** Asks for the methods and not for the class, because a `fetch` function or a test realm may have its own `Headers`. */
function areHeaders(value: unknown): value is Headers {
  return hasMethods('get', 'forEach')(value);
}
