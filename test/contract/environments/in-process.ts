import type { SpecGaps } from 'messaging-automation/server';
import type { CreateEnvironment } from '../environment.js';
import { Receiver } from '../receiver.js';
import { createSeededServer } from './reference.js';

/** The reference server with its switches set, reached and delivering by calls of functions alone: the quickest environment. */
export function createInProcessEnvironment(specGaps: Partial<SpecGaps>): CreateEnvironment {
  return async (options) => {
    const receiver = new Receiver('https://receiver.example.test');
    const { server, hands } = createSeededServer(options, {
      specGaps,
      fetch: (input, init) => deliver(receiver, new Request(input, init)),
    });
    return {
      ...hands,
      baseUrl: 'https://api.example.test/api',
      receiver,
      fetch: (url, init) => server.fetch(new Request(url, init)),
      close: () => server.close(),
    };
  };
}

/** Delivers by a call of a function. */
export async function deliver(receiver: Receiver, request: Request): Promise<Response> {
  const body = new Uint8Array(await request.arrayBuffer());
  const { pathname: path } = new URL(request.url);
  const answer = receiver.take({ method: request.method, path, headers: request.headers, body });
  if (answer === 'drop the connection') throw new TypeError('The connection was dropped.');
  if (answer === 'never answer') return givenUp(request.signal);
  return new Response(null, { status: answer, headers: { Location: receiver.elsewhere } });
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
