import { HttpResponse, http, type RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import { withResolvers } from '../../waiting.js';
import { deliver, Receiver } from '../receiver.js';

/** Every request of this process, responded by handlers or not at all. */
export interface Interception {
  /** Puts the network back, and throws if a request had no handler, even where its sender hid the failure. */
  close(): void;
}

/** Responds to each request by its handler. A request without one fails, and fails the closing too. */
export function intercept(handlers: readonly RequestHandler[]): Interception {
  const unknown: string[] = [];
  const server = setupServer(...handlers);
  server.listen({
    onUnhandledRequest(request, print) {
      const { origin, pathname } = new URL(request.url);
      unknown.push(`${request.method} ${origin}${pathname}`);
      print.error();
    },
  });
  return {
    close() {
      server.close();
      if (unknown.length > 0) throw new Error(`Nothing was to respond ${unknown.join(', ')}.`);
    },
  };
}

/** A receiver that exists in the interception alone. `release` lets go of the requests that are never responded. */
export function interceptedReceiver() {
  const origin = 'https://receiver.example.test';
  const receiver = new Receiver(origin);
  const { promise: ended, resolve: release } = withResolvers();
  const handler = http.all(`${origin}/*`, ({ request }) =>
    Promise.race([deliver(receiver, request), ended.then(() => HttpResponse.error())]).catch(() =>
      HttpResponse.error(),
    ),
  );
  return { receiver, handler, release };
}
