import { HttpResponse, http, type RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import { Receiver } from '../receiver.js';

/** Every request of this process, answered by handlers or not at all. */
export interface Interception {
  /** Puts the network back, and throws if a request had no handler, even where its sender hid the failure. */
  close(): void;
}

/** Answers each request by its handler. A request without one fails, and fails the closing too. */
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
      if (unknown.length > 0) throw new Error(`Nothing was to answer ${unknown.join(', ')}.`);
    },
  };
}

/** A receiver that exists in the interception alone. */
export function interceptedReceiver(): {
  readonly receiver: Receiver;
  readonly handler: RequestHandler;
  /** Lets go of the requests that are never answered. */
  readonly release: () => void;
} {
  const origin = 'https://receiver.example.test';
  const receiver = new Receiver(origin);
  const end = new AbortController();
  const handler = http.all(`${origin}/*`, async ({ request }) => {
    const { pathname: path } = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = receiver.take({ method: request.method, path, headers: request.headers, body });
    if (answer === 'never answer') await ended(end.signal);
    if (typeof answer !== 'number') return HttpResponse.error();
    return new HttpResponse(null, { status: answer, headers: { Location: receiver.elsewhere } });
  });
  return { receiver, handler, release: () => end.abort() };
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
