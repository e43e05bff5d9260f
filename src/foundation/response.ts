/** Reads the text of a body as `fetch` decompresses it, and cancels the rest when it exceeds the limit. */
export async function readBody(
  response: Response,
  maxBytes: number,
  decoding: TextDecoderOptions = {},
): Promise<{ readonly body: string; readonly truncated?: boolean }> {
  // The response of a custom fetch may hold a stream of Node's or none, and jsdom has no decoder.
  const reader = response.body?.getReader?.();
  const chunks = reader ? undefined : response.body?.[Symbol.asyncIterator]?.();
  const read = reader ? () => reader.read() : chunks && (() => chunks.next());
  if (!read || typeof TextDecoder === 'undefined') return { body: await response.text() };
  const decoder = new TextDecoder('utf-8', decoding);
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

/**
 * Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds from `now`. It also reads what gateways make of it:
 * `1s`, a date in ISO 8601, and `1, 5` where two of them each set the header. The longest counts.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = header.split(',').map((part) => /^\s*(\d+(?:\.\d+)?)s?\s*$/i.exec(part)?.[1]);
  if (seconds.every((part) => part !== undefined)) return Math.max(...seconds.map(Number)) * 1_000;
  // Date.parse accepts "-5" and "12" as dates. An HTTP date begins with the name of a day.
  const date = /^([A-Za-z]{3}|\d{4}-\d\d-\d\dT)/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
