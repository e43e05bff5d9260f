import { NotSentError } from '../errors/not-sent-error.js';
import { readBody } from './read-body.js';
import { defaultMaxResponseBytes, type FetchFunction, type Transport } from './transport.js';

/** Importing ky costs 20 ms, for it makes Node load its fetch; so it waits for the first call. */
const importKy = () => import('ky');
let importedKy: ReturnType<typeof importKy> | undefined;

/** Loads ky once. A load that failed is tried again by the next attempt: the file may be back by then. */
async function loadKy(): Promise<Awaited<ReturnType<typeof importKy>>['default']> {
  try {
    importedKy ??= importKy();
    return (await importedKy).default;
  } catch (error) {
    importedKy = undefined;
    throw new NotSentError(error);
  }
}

/** The transport over ky and `fetch`: `customFetch`, or the global one as it is at the time of the call. */
export function createKyTransport(customFetch: FetchFunction | undefined): Transport {
  return {
    async exchange({ method, url, headers, body, signal, maxResponseBytes = defaultMaxResponseBytes }) {
      const ky = await loadKy();
      const fetchFunction = customFetch ?? globalThis.fetch;
      const response = await ky(url, {
        method,
        retry: 0,
        timeout: false,
        throwHttpErrors: false,
        // ky would clone a Request that carries a body and a signal, which costs half as much as the call
        // itself. So headers, body and signal go to the wire directly; ky sees the rest.
        fetch: () => {
          const init: RequestInit = { method, headers, body: sentOnce(body), signal, redirect: 'manual' };
          // Bun by itself repeats a DELETE whose connection was kept from an earlier request and breaks. The
          // repetition would find nothing, and what was done would look as if there had been nothing to do.
          if (method === 'DELETE') init.keepalive = false;
          return fetchFunction(url, init);
        },
      });
      const read = await readBody(response, maxResponseBytes);
      return { status: response.status, headers: response.headers, ...read };
    },
  };
}

/**
 * The body in a form that the runtime sends no more than once. Deno by itself repeats a request, a POST too, whose
 * connection was kept from an earlier one and breaks; what it reads from a Blob it cannot send again.
 */
function sentOnce(body: string | undefined): BodyInit | null {
  if (body === undefined) return null;
  return 'Deno' in globalThis ? new Blob([body]) : body;
}
