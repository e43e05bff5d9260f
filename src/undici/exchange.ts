import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { NotSentError } from '../client/errors/no-response-errors.js';
import {
  defaultMaxResponseBytes,
  type TransportRequest,
  type TransportResponse,
} from '../client/transport/transport.js';

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

/** Sends one request through the dispatcher. */
export function exchange(
  dispatcher: UndiciDispatcher,
  {
    method,
    url,
    headers,
    body,
    signal,
    onSending,
    maxResponseBytes = defaultMaxResponseBytes,
  }: TransportRequest,
): Promise<TransportResponse> {
  const { origin, pathname, search } = new URL(url);
  const options: Dispatcher.DispatchOptions = {
    origin,
    path: pathname + search,
    method,
    // Some gateways compress nevertheless.
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  };
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new Exchange(signal, maxResponseBytes, onSending, resolve, reject));
  });
}

/** Decodes like `fetch`: UTF-8 without a byte order mark, and U+FFFD for invalid bytes. */
const decoder = new TextDecoder();

/** undici's callbacks for one exchange. They cost less than a body stream per request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #onSending: (() => void) | undefined;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #chunks: Uint8Array[] = [];
  readonly #maxBytes: number;
  #bytesLeft: number;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers = new Headers();

  constructor(
    signal: AbortSignal,
    maxBytes: number,
    onSending: (() => void) | undefined,
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#bytesLeft = maxBytes;
    this.#onSending = onSending;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#abort);
  }

  /** Called right before the first byte goes out. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
    else this.#onSending?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    if (status < 200) return; // an informational response, such as 103 Early Hints
    this.#status = status;
    this.#headers = headersFrom(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft >= 0) this.#chunks.push(chunk);
    else {
      this.#respond(true);
      controller.abort(new Error('The response is too large.'));
    }
  }

  onResponseEnd(): void {
    this.#respond();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#reject(this.#controller ? error : new NotSentError(error));
  }

  #respond(truncated = false): void {
    this.#signal.removeEventListener('abort', this.#abort);
    const [status, headers] = [this.#status, this.#headers];
    try {
      const bytes = decompress(Buffer.concat(this.#chunks), headers.get('content-encoding'), this.#maxBytes);
      this.#resolve({ status, headers, body: decoder.decode(bytes), truncated });
    } catch (error) {
      const isTooLong = truncated || Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE';
      if (isTooLong) this.#resolve({ status, headers, body: '', truncated: true });
      else this.#reject(error);
    }
  }

  readonly #abort = (): void => {
    this.#reject(this.#signal.reason);
    this.#controller?.abort(new Error('The call has ended.'));
  };
}

/** Undoes the encodings of a body, the last one first. Throws where the result is longer than `maxOutputLength`. */
function decompress(body: Buffer, encodings: string | null, maxOutputLength: number): Buffer {
  if (body.length === 0) return body;
  const names = (encodings ?? '').toLowerCase().split(',').reverse();
  return names.reduce((bytes, name) => decoders[name.trim()]?.(bytes, { maxOutputLength }) ?? bytes, body);
}

const decoders: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  // Some servers send deflate without the header of zlib, whose first byte has 8 in its lower half.
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(bytes, options),
  br: (bytes, { maxOutputLength }) => brotliDecompressSync(bytes, { maxOutputLength }),
};

function headersFrom(record: Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'string') headers.append(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  return headers;
}
