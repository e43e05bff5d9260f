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
    const chunks: Uint8Array[] = [];
    let bytesLeft = maxResponseBytes;
    let controller: Dispatcher.DispatchController | undefined;
    let response = { status: 0, headers: new Headers() };
    const abort = () => {
      reject(signal.reason);
      controller?.abort(new Error('The call has ended.'));
    };
    const respond = (truncated = false) => {
      signal.removeEventListener('abort', abort);
      try {
        const encodings = response.headers.get('content-encoding');
        const bytes = decompress(Buffer.concat(chunks), encodings, maxResponseBytes);
        resolve({ ...response, body: decoder.decode(bytes), truncated });
      } catch (error) {
        const isTooLong = truncated || Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE';
        if (isTooLong) resolve({ ...response, body: '', truncated: true });
        else reject(error);
      }
    };
    // undici's callbacks cost less than a body stream per request.
    const handler: Dispatcher.DispatchHandler = {
      // Called right before the first byte goes out.
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) return abort();
        try {
          onSending?.();
        } catch (refusal) {
          reject(refusal);
          started.abort(new Error('The request must not leave.'));
        }
      },
      onResponseStart(_controller, status, received) {
        if (status < 200) return; // an informational response, such as 103 Early Hints
        response = { status, headers: headersFrom(received) };
      },
      onResponseData(responding, chunk) {
        bytesLeft -= chunk.length;
        if (bytesLeft >= 0) chunks.push(chunk);
        else {
          respond(true);
          responding.abort(new Error('The response is too large.'));
        }
      },
      onResponseEnd: () => respond(),
      onResponseError(_controller, error) {
        signal.removeEventListener('abort', abort);
        reject(controller ? error : new NotSentError(error));
      },
    };
    signal.addEventListener('abort', abort);
    dispatcher.dispatch(options, handler);
  });
}

/** Decodes like `fetch`: UTF-8 without a byte order mark, and U+FFFD for invalid bytes. */
const decoder = new TextDecoder();

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
