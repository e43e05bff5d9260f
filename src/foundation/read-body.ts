import type { FetchResponse } from './fetch-function.js';
import { attempt } from './runtime.js';

/** Reads the text of a body as `fetch` decompresses it, and cancels the rest when it exceeds the limit. */
export async function readBody(
  response: Pick<FetchResponse, 'body' | 'text'>,
  maxBytes: number,
  decoding: TextDecoderOptions = {},
): Promise<{ readonly body: string; readonly truncated?: boolean }> {
  const decoder = attempt(() => new TextDecoder('utf-8', decoding));
  if (decoder === undefined) return { body: await response.text() }; // as in jsdom
  // The response of a custom fetch may hold a stream of Node's or none.
  const stream: Partial<ReadableStream<Uint8Array>> = Object(response.body);
  const reader = stream.getReader?.();
  const chunks = reader ? undefined : stream[Symbol.asyncIterator]?.();
  const read = reader ? () => reader.read() : chunks && (() => chunks.next());
  if (!read) return { body: await response.text() };
  let body = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await read();
    if (done) return { body: body + decoder.decode() };
    bytes += value.length;
    if (bytes > maxBytes) {
      // Cancel the rest without waiting, and ignore errors of that.
      (reader ? reader.cancel() : chunks?.return?.())?.catch(() => {});
      return { body, truncated: true };
    }
    body += decoder.decode(value, { stream: true });
  }
}
