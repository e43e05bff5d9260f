import type { SpecGaps } from 'messaging-automation/server';
import type { CreateEnvironment } from '../environment.js';
import { deliver, Receiver } from '../receiver.js';
import { createSeededServer } from './reference.js';

/** The reference server with its gaps set, reached and delivering by calls of functions alone: the quickest environment. */
export function createInProcessEnvironment(specGaps: Partial<SpecGaps>): CreateEnvironment {
  return async (options) => {
    const receiver = new Receiver('https://receiver.example.test');
    const { server, fixtures } = createSeededServer(options, {
      specGaps,
      fetch: (input, init) => deliver(receiver, new Request(input, init)),
    });
    return {
      ...fixtures,
      baseUrl: 'https://api.example.test/api',
      receiver,
      fetch: (url, init) => server.fetch(new Request(url, init)),
      close: () => server.close(),
    };
  };
}
