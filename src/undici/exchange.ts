import type { Dispatcher } from 'undici';
import { NotSentError } from '../client/errors/not-sent-error.js';
import {
  defaultMaxResponseBytes,
  type TransportRequest,
  type TransportResponse,
} from '../client/transport/transport.js';
import type { UndiciDispatcher } from './dispatcher.js';

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
    // The body is not decompressed.
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
      this.#answer(true);
      controller.abort(new Error('The answer is too large.'));
    }
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#reject(this.#controller ? error : new NotSentError(error));
  }

  #answer(truncated?: boolean): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: decoder.decode(Buffer.concat(this.#chunks)),
      truncated,
    });
  }

  readonly #abort = (): void => {
    this.#reject(this.#signal.reason);
    this.#controller?.abort(new Error('The call has ended.'));
  };
}

function headersFrom(record: Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'string') headers.append(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  return headers;
}
