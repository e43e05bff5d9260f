import { HttpResponse, http, type RequestHandler } from 'msw';
import { isConnectionReset } from '../server/faults/connection-reset.js';
import type { ReferenceServer } from '../server/index.js';

/** Where a bridged reference server seems to be. */
export interface MswHandlersOptions {
  /** The base URL that the code under test is given; it ends in `/api`. */
  readonly baseUrl: string;
}

/**
 * MSW handlers that answer with a reference server, so that tests need no socket.
 *
 * Requests beyond the base URL are not handled: with `onUnhandledRequest: 'error'`, MSW fails them.
 *
 * @throws TypeError where the base URL is not a URL that ends in `/api`.
 * @example
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { MessagingAutomation } from 'messaging-automation';
 * import { createReferenceServer } from 'messaging-automation/server';
 * import { mswHandlers } from 'messaging-automation/msw';
 *
 * const baseUrl = 'https://api.example.test/api';
 * await using server = createReferenceServer();
 * const network = setupServer(...mswHandlers(server, { baseUrl }));
 * network.listen({ onUnhandledRequest: 'error' });
 *
 * const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });
 * console.log(await messaging.contacts.find('+15551234567')); // null
 * network.close();
 * ```
 */
export function mswHandlers(
  server: ReferenceServer,
  { baseUrl }: MswHandlersOptions,
): readonly RequestHandler[] {
  const { origin, prefix } = readBaseUrl(baseUrl);
  return ['api', 'control'].map((folder) =>
    http.all(`${origin}${prefix}/${folder}/*`, ({ request }) =>
      server.fetch(withoutPrefix(request, prefix)).catch(asNetworkError),
    ),
  );
}

/** The base URL's origin, and the path before its `/api`, which is empty for most. */
function readBaseUrl(baseUrl: string): { readonly origin: string; readonly prefix: string } {
  const href = URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  const [, origin, prefix] = /^(https?:\/\/[^/?#]+)([^?#]*)\/api\/*$/.exec(href) ?? [];
  if (origin === undefined || prefix === undefined) {
    throw new TypeError(
      `mswHandlers needs a base URL that ends in /api, such as https://api.example.test/api, not ${JSON.stringify(baseUrl)}.`,
    );
  }
  return { origin, prefix };
}

/** What MSW takes for a connection that breaks; of what is thrown it would make a 500. */
function asNetworkError(error: unknown): Response {
  if (isConnectionReset(error)) return HttpResponse.error();
  throw error;
}

/** The request as the server expects it: with `/api` or `/control` at the beginning of its path. */
function withoutPrefix(request: Request, prefix: string): Request {
  if (prefix === '') return request;
  const { origin, pathname, search } = new URL(request.url);
  return new Request(origin + pathname.slice(prefix.length) + search, request);
}
