import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNextPagesHandler } from 'messaging-automation/webhooks';
import { listeningSite, type Subject } from '../support/subject.js';

/** The part of NextApiRequest that bears on a receiver. */
interface NextApiRequest extends IncomingMessage {
  query: Partial<Record<string, string | string[]>>;
  cookies: Partial<Record<string, string>>;
  body?: unknown;
}

/** An API route's module: what Next.js reads of it. */
interface ApiRoute {
  readonly config?: { readonly api: { readonly bodyParser: boolean } };
  default(request: NextApiRequest, response: ServerResponse): unknown;
}

/**
 * Next's pages router as far as it has to do with bodies, over a real node:http: Next itself is some hundred megabytes
 * and a build step, too much for a test of an adapter.
 */
export const nextPagesSubject: Subject = {
  name: 'Next.js pages',
  open: (receiver, arrangement) => {
    const handle = toNextPagesHandler(receiver);
    const route: ApiRoute = {
      ...(arrangement !== 'parsed' && { config: { api: { bodyParser: false } } }),
      default: async (request, response) => {
        if (arrangement === 'consumed') await bytesOf(request);
        await handle(request, response);
        // Of a route that returns before it has answered, Next says "API resolved without sending a response".
        if (!response.writableEnded && !response.destroyed) throw new Error('resolved without a response');
      },
    };
    return listeningSite((request, response) => resolveApi(route, request, response));
  },
};

/** As `apiResolver` of Next.js does it: adds to Node's own request, and parses by content type unless told not to. */
async function resolveApi(route: ApiRoute, incoming: IncomingMessage, response: ServerResponse) {
  const request: NextApiRequest = Object.assign(incoming, { query: {}, cookies: {} });
  if (route.config?.api.bodyParser !== false) request.body = await parseBody(request);
  await route.default(request, response);
}

async function parseBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await bytesOf(request);
  const type = request.headers['content-type']?.split(';')[0];
  if (type === 'application/json') return bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  return type === 'text/plain' ? bytes.toString() : bytes;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
