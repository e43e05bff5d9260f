/**
 * One HTTP request, ready for the wire. Its headers hold the API key: they are not for a log.
 *
 * @example
 * ```ts
 * import type { TransportRequest } from 'messaging-automation';
 *
 * const describe = ({ method, url }: TransportRequest) => `${method} ${new URL(url).pathname}`;
 * ```
 */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The whole address, with its query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The serialised body, where there is one. */
  readonly body: string | undefined;
  /** Ends the exchange at once, wherever it stands. */
  readonly signal: AbortSignal;
}

/**
 * One HTTP response, whose body has arrived whole.
 *
 * @example
 * ```ts
 * import type { TransportResponse } from 'messaging-automation';
 *
 * const noTemplates: TransportResponse = { status: 200, headers: new Headers(), body: '{"data":[]}' };
 * ```
 */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, decoded from UTF-8; empty where there is none. */
  readonly body: string;
}

/**
 * Carries one HTTP request to the service and its response back: what `undiciTransport` makes, and what a program
 * may write for itself where a `fetch` of its own is not enough.
 *
 * It follows no redirect, repeats nothing and knows no deadline but the signal: all that is the client's. It
 * resolves with any answer, whatever its status, and rejects when none came whole: with a `NotSentError` where it
 * knows that nothing has left, else with what was thrown, of which the client shows a code and a cleaned message.
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
  /** Makes one exchange. */
  exchange(request: TransportRequest): Promise<TransportResponse>;
}

/**
 * A function that does what the standard `fetch` does, called with a URL and everything else in `init`.
 *
 * @example
 * ```ts
 * import { type FetchFunction, MessagingAutomation } from 'messaging-automation';
 *
 * const fetchAndCount: FetchFunction = (url, init) => {
 *   console.count('requests');
 *   return fetch(url, init);
 * };
 * const messaging = new MessagingAutomation({ fetch: fetchAndCount });
 * await messaging.templates.list();
 * ```
 */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** Importing ky costs 20 ms, for it makes Node load its fetch; so it waits for the first call. */
const importKy = () => import('ky');
let importedKy: ReturnType<typeof importKy> | undefined;

/** The transport over ky and `fetch`: `customFetch`, or the global one as it is at the time of the call. */
export function createKyTransport(customFetch: FetchFunction | undefined): Transport {
  return {
    async exchange({ method, url, headers, body, signal }) {
      importedKy ??= importKy();
      const { default: ky } = await importedKy;
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
      return { status: response.status, headers: response.headers, body: await response.text() };
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
