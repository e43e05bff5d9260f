import { type HttpHandler, HttpRequest, HttpResponse, InvocationContext } from '@azure/functions';
import { Elysia } from 'elysia';
import { fromWebHandler, H3, toNodeHandler } from 'h3';
import { toFetchHandler } from 'messaging-automation/webhooks';
import { bridged, fixOfFetch, prepare } from '../../webhooks/adapters/fetch/environments.js';
import { type Environment, listening } from '../../webhooks/adapters/support/environment.js';
import { describeMatrix } from '../../webhooks/adapters/support/matrix.js';
import type { Sent } from '../../webhooks/adapters/support/sent.js';

// Frameworks that `toFetchHandler` serves without knowing of them.

const h3 = listening('h3 2, Nitro 3', { fix: fixOfFetch }, (receiver, body) => {
  const app = new H3();
  app.use(async (event, next) => {
    await prepare(event.req, body);
    return next();
  });
  app.all('/webhooks', fromWebHandler(toFetchHandler(receiver)));
  const listener = toNodeHandler(app);
  return (request, response) => void listener(request, response);
});

const elysia = listening('Elysia', { fix: fixOfFetch }, (receiver, body) => {
  const handle = toFetchHandler(receiver);
  const app = new Elysia();
  if (body === 'consumed') app.onRequest(({ request }) => prepare(request, body));
  app.all('/webhooks', ({ request }) => handle(request), { parse: body === 'parsed' ? 'json' : 'none' });
  return bridged((request) => app.handle(request));
});

/** As its host hands them over: several values of a header joined. */
function headersOf(sent: Sent['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of sent) headers.append(name, value);
  return headers;
}

/** A function with an HTTP trigger, called with the request of its host; its result goes back through the response. */
const azureFunctions: Environment = {
  name: 'Azure Functions 4',
  fix: fixOfFetch,
  differs: { 'aborted upload': '–', 'signature in a trailer': '–' }, // A request is whole.
  async open(receiver, state) {
    const handler: HttpHandler = toFetchHandler(receiver);
    return {
      async send({ method, headers, chunks }) {
        const request = new HttpRequest({
          method,
          url: 'https://example.azurewebsites.net/api/webhooks',
          headers: Object.fromEntries(headersOf(headers)),
          body: { bytes: Buffer.concat(chunks) },
        });
        await prepare(request, state);
        return new HttpResponse(await handler(request, new InvocationContext())).status;
      },
      close: async () => undefined,
    };
  },
};

describeMatrix('Adapter × fault: further frameworks of Fetch', [h3, elysia, azureFunctions]);
