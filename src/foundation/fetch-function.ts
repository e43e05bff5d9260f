/**
 * A function that behaves like the standard `fetch`: the global one of any runtime, or that of undici, node-fetch or cross-fetch.
 *
 * @example
 * ```ts
 * import { type FetchFunction, MessagingAutomation } from 'messaging-automation';
 *
 * const logged: FetchFunction = async (url, init) => {
 *   const response = await fetch(url, init);
 *   console.log(init.method, new URL(url).pathname, response.status);
 *   return response;
 * };
 * const messaging = new MessagingAutomation({ fetch: logged });
 * console.log(await messaging.templates.list());
 * ```
 */
export type FetchFunction<Body = string> = (url: string, init: FetchInit<Body>) => Promise<FetchResponse>;

/** What a {@link FetchFunction} is called with, beside the URL. */
export type FetchInit<Body = string> = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The text of the request, if it has one: pass it on as it is. On Deno, which would send a text twice, the client passes a `Blob` of it. A
   * delivery of the reference server is bytes.
   */
  readonly body?: Body;
  /** Aborts the exchange. */
  readonly signal: AbortSignal;
  /** Redirects are not followed. */
  readonly redirect: 'manual';
  /** Set to false for a DELETE, because Bun repeats one on a kept-alive connection. */
  readonly keepalive?: boolean;
  /** Set for a GET on runtimes that know the option, because frameworks such as Next.js 14 keep responses. */
  readonly cache?: 'no-store';
};

/** What is read of the response of a {@link FetchFunction}. Every `Response` has it. */
export type FetchResponse = {
  readonly status: number;
  readonly headers: {
    /** Returns the value of a header, or null. */
    get(name: string): string | null;
    /** Calls `visit` with the value and the name of each header. */
    forEach(visit: (value: string, name: string) => void): void;
  };
  /** A stream of the standard or of Node.js, which is read up to a limit. */
  readonly body?: object | null | undefined;
  /** Reads the whole body, if it is not a stream. */
  text(): Promise<string>;
};

/** Returns the names and values of the headers. */
export function headersOf({ headers }: FetchResponse): [name: string, value: string][] {
  const entries: [name: string, value: string][] = [];
  headers.forEach((value, name) => {
    entries.push([name, value]);
  });
  return entries;
}
