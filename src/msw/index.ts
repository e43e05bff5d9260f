/**
 * Connects the reference server to [MSW](https://mswjs.io), so that your tests need no socket. Requires `msw` 2 or 3.
 *
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { MessagingAutomation } from 'messaging-automation';
 * import { mswHandlers } from 'messaging-automation/msw';
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * const baseUrl = 'https://api.example.test/api';
 * await using server = createReferenceServer();
 * const network = setupServer(...mswHandlers(server, { baseUrl }));
 * network.listen({ onUnhandledRequest: 'error' });
 *
 * const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });
 * await messaging.contacts.upsert({ phone: '+15551234567' }); // from the reference server
 * network.close();
 * ```
 *
 * Read on: [test your integration](../../docs/guides/test-your-integration.md).
 *
 * @module messaging-automation/msw
 */
import { HttpResponse, http, type RequestHandler } from 'msw';
import { checkArgument, checkOptions, hasMethods, type OptionCheck } from '../foundation/options.js';
import { isConnectionReset } from '../server/faults/broken-body.js';
import type { ReferenceServer } from '../server/index.js';

/** Options of {@link mswHandlers}. */
export interface MswHandlersOptions {
  /** The base URL that you pass to the code under test. It ends in `/api`. */
  readonly baseUrl: string;
}

/**
 * Creates MSW handlers that respond with a reference server, so that tests need no socket.
 *
 * They handle only requests below the base URL. With `onUnhandledRequest: 'error'`, MSW fails all other requests.
 *
 * @param server The reference server that responds to the requests.
 * @param options The base URL of the requests.
 * @throws {ConfigurationError} when the base URL is not a URL that ends in `/api`.
 *
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
  server: Pick<ReferenceServer, 'fetch'>,
  options: MswHandlersOptions,
): readonly RequestHandler[] {
  checkArgument('mswHandlers', 'server', server, [hasMethods('fetch'), 'a reference server']);
  checkOptions('mswHandlers', options, { baseUrl: aBaseUrl });
  const { origin = '', prefix = '' } = partsOf(options.baseUrl) ?? {};
  return ['api', 'control'].map((folder) =>
    http.all(`${origin}${prefix}/${folder}/*`, ({ request }) =>
      server.fetch(withoutPrefix(request, prefix)).catch(asNetworkError),
    ),
  );
}

/** The base URL's origin, and the path before `/api`, which is usually empty. */
function partsOf(baseUrl: unknown): { readonly origin?: string; readonly prefix?: string } | undefined {
  const href = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  return /^(?<origin>https?:\/\/[^/?#]+)(?<prefix>[^?#]*)\/api\/*$/.exec(href)?.groups;
}

const aBaseUrl: OptionCheck = [
  (value) => partsOf(value) !== undefined,
  'a URL that ends in /api, such as https://api.example.test/api',
  'required',
];

/** Turns a connection reset into a network error. MSW would turn any thrown error into a 500. */
function asNetworkError(error: unknown): Response {
  if (isConnectionReset(error)) return HttpResponse.error();
  throw error;
}

/** The request with a path that begins with `/api` or `/control`, as the server expects it. */
function withoutPrefix(request: Request, prefix: string): Request {
  if (prefix === '') return request;
  const { origin, pathname, search } = new URL(request.url);
  return new Request(origin + pathname.slice(prefix.length) + search, request);
}
