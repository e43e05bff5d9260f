import ky from 'ky';
import type { FetchFunction, FetchInit } from '../../foundation/fetch-function.js';
import { hasMethods } from '../../foundation/options.js';
import { readBody } from '../../foundation/read-body.js';
import { attempt, probe } from '../../foundation/runtime.js';
import {
  defaultMaxResponseBytes,
  ForeignResponseError,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/** Sends a request over ky and `fetch`: `customFetch`, or the global one as it is at the time of the call. */
export async function exchangeOverKy(
  request: TransportRequest,
  customFetch: FetchFunction | undefined,
): Promise<TransportResponse> {
  const fetchFunction = customFetch ?? globalThis.fetch;
  const {
    method,
    url,
    headers,
    body,
    signal,
    onSending,
    maxResponseBytes = defaultMaxResponseBytes,
  } = request;
  const response = await ky(url, {
    method,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // ky clones a Request with a body and a signal, which takes half as long as the call itself. So headers, body and
    // signal bypass ky.
    fetch: async () => {
      const init: FetchInit = {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body !== undefined && { body: sentOnce(body) }),
        // Bun repeats a DELETE if a kept-alive connection breaks. The repetition would return 404, although the first DELETE
        // succeeded.
        ...(method === 'DELETE' && { keepalive: false }),
        // Frameworks such as Next.js 14 cache reads at build time. Runtimes without the option refuse it.
        ...(method === 'GET' && hasCacheOption() && { cache: 'no-store' as const }),
      };
      signal.throwIfAborted(); // the call may have ended while this code loaded
      onSending?.();
      // Without a type, because ky only returns it.
      return Object(await fetchFunction(url, init));
    },
  });
  // A custom fetch without types may return anything.
  if (!hasMethods('text')(response)) throw new ForeignResponseError('it has no method text');
  const read = await readBody(response, maxResponseBytes);
  return { status: response.status, headers: response.headers, ...read };
}

/**
 * Returns the body in a form that the runtime sends only once. Deno repeats a request, even a POST, if a kept-alive connection
 * breaks. It cannot repeat a body that it reads from a Blob.
 */
function sentOnce(body: string): string {
  return probe('Deno') === undefined ? body : Object(new Blob([body]));
}

function hasCacheOption(): boolean {
  return attempt(() => 'cache' in Request.prototype) === true;
}
