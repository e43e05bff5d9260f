import { type HttpHandler, HttpRequest, HttpResponse, InvocationContext } from '@azure/functions';
import { Elysia } from 'elysia';
import { fromWebHandler, H3, toNodeHandler } from 'h3';
import { toFetchHandler } from 'messaging-automation/webhooks';
import type { Sent } from '../support/sent.js';
import { listeningSite, type Subject } from '../support/subject.js';
import { bridged } from './bridge.js';

const h3: Subject = {
  name: 'h3 2, Nitro 3',
  open(receiver, arrangement) {
    const app = new H3();
    app.use(async (event, next) => {
      if (arrangement === 'parsed') await event.req.json();
      if (arrangement === 'consumed') await event.req.arrayBuffer();
      return next();
    });
    app.all('/webhooks', fromWebHandler(toFetchHandler(receiver)));
    const listener = toNodeHandler(app);
    return listeningSite((request, response) => void listener(request, response));
  },
};

const elysia: Subject = {
  name: 'Elysia',
  open(receiver, arrangement) {
    const handle = toFetchHandler(receiver);
    const app = new Elysia();
    if (arrangement === 'consumed') app.onRequest(async ({ request }) => void (await request.arrayBuffer()));
    app.all('/webhooks', ({ request }) => handle(request), {
      parse: arrangement === 'parsed' ? 'json' : 'none',
    });
    return listeningSite(bridged((request) => app.handle(request)));
  },
};

/** As its host hands them over: several values of a header joined. */
function headersOf(sent: Sent['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of sent) headers.append(name, value);
  return headers;
}

/** A function with an HTTP trigger, called with the request that its host makes and answered through its response. */
const azureFunctions: Subject = {
  name: 'Azure Functions 4',
  differs: { 'aborted upload': '–', 'signature in a trailer': '–' }, // A request is whole.
  async open(receiver, arrangement) {
    const handler: HttpHandler = toFetchHandler(receiver);
    return {
      async send({ method, headers, chunks }) {
        const request = new HttpRequest({
          method,
          url: 'https://example.azurewebsites.net/api/webhooks',
          headers: Object.fromEntries(headersOf(headers)),
          body: { bytes: Buffer.concat(chunks) },
        });
        if (arrangement === 'parsed') await request.json();
        if (arrangement === 'consumed') await request.arrayBuffer();
        return new HttpResponse(await handler(request, new InvocationContext())).status;
      },
      close: async () => undefined,
    };
  },
};

/** Frameworks that `toFetchHandler` serves without knowing of them. */
export const furtherFetchSubjects: readonly Subject[] = [h3, elysia, azureFunctions];
