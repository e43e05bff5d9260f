import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ReceiverCore, toFetchHandler, toNextPagesHandler } from 'messaging-automation/webhooks';
import type { Arrangement } from '../support/faults.js';
import { listeningSite, type Site, type Subject } from '../support/subject.js';

/** What the routes of the application in `app/` do. */
interface HandedOver {
  readonly pages: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly app: (request: Request) => Promise<Response>;
}

/** The adapters for Next.js, in real Next.js: in each router, with and without a proxy that has seen the body. */
export function nextSubjects(listener: () => RequestListener): readonly Subject[] {
  const subject = (name: string, pathFor: (arrangement: Arrangement) => string): Subject => ({
    name,
    open(receiver, arrangement) {
      handOver(receiver, arrangement);
      return siteAt(pathFor(arrangement), listener());
    },
  });
  const parsedOrNot = (arrangement: Arrangement) => (arrangement === 'parsed' ? 'parsed' : 'unparsed');
  return [
    subject('pages', (arrangement) => `/api/${parsedOrNot(arrangement)}`),
    subject('app router', () => '/api/route'),
    subject('pages, proxy', (arrangement) => `/api/proxied/${parsedOrNot(arrangement)}`),
    subject('app router, proxy', () => '/proxied/route'),
  ];
}

/** Serves one path of the application, whatever path is asked for. */
export function siteAt(path: string, listener: RequestListener): Promise<Site> {
  return listeningSite((request, response) => {
    request.url = path;
    return listener(request, response);
  });
}

function handOver(receiver: ReceiverCore<unknown>, arrangement: Arrangement): void {
  const pages = toNextPagesHandler(receiver);
  const app = toFetchHandler(receiver);
  const handedOver: HandedOver = {
    async pages(request, response) {
      if (arrangement === 'consumed') for await (const _ of request);
      await pages(request, response);
    },
    async app(request) {
      if (arrangement === 'parsed') await request.json();
      if (arrangement === 'consumed') await request.arrayBuffer();
      return app(request);
    },
  };
  Reflect.set(globalThis, Symbol.for('messaging-automation.test.next'), handedOver);
}
