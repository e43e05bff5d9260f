import { HttpResponse, http, type RequestHandler } from 'msw';
import type { ReferenceServer } from '../server/index.js';

/**
 * Where a bridged reference server seems to be.
 *
 * @example
 * ```ts
 * import type { MswHandlersOptions } from 'messaging-automation/testing';
 *
 * const options: MswHandlersOptions = { baseUrl: 'https://api.example.test/api' };
 * ```
 */
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
 * import { mswHandlers } from 'messaging-automation/testing';
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
  const base = baseUrl.replace(/\/+$/, '');
  if (!URL.canParse(base) || !base.endsWith('/api')) {
    throw new TypeError(
      `mswHandlers needs a base URL that ends in /api, such as https://api.example.test/api, not ${JSON.stringify(baseUrl)}.`,
    );
  }
  const root = base.slice(0, -'/api'.length);
  return [`${base}/*`, `${root}/control/*`].map((path) =>
    http.all(path, async ({ request }) => {
      const answer = await server.fetch(atRoot(request, root));
      return new HttpResponse(answer.body, answer);
    }),
  );
}

/** The request as it would arrive: a base URL may have a path of its own before `/api`. */
function atRoot(request: Request, root: string): Request {
  const { origin } = new URL(request.url);
  const path = request.url.slice(root.length);
  return request.url.startsWith(`${origin}${path}`) ? request : new Request(origin + path, request);
}
