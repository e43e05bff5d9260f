import { Readable } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type ReceiverCore, toFetchHandler } from 'messaging-automation/webhooks';

import type { Arrangement } from '../support/faults.js';
import { listeningSite, type Subject } from '../support/subject.js';

/** A Fetch handler behind the adapter that Hono's users on Node serve theirs with. */
export const fetchSubject: Subject = {
  name: 'Fetch',
  open: (receiver, arrangement) => {
    // Kept from replacing the global Request, which other tests look at.
    const listener = getRequestListener(arranged(receiver, arrangement), { overrideGlobalObjects: false });
    return listeningSite((request, response) => void listener(request, response));
  },
};

/** The same behind a bridge as SvelteKit, Remix and Next.js have one: a Request of Node's own over the stream. */
export const bridgedSubject: Subject = {
  name: 'Fetch, bridged',
  open: (receiver, arrangement) => {
    const handle = arranged(receiver, arrangement);
    return listeningSite(async (incoming, outgoing) => {
      const headers = new Headers();
      for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
        headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
      }
      const request = new Request(`http://127.0.0.1${incoming.url}`, {
        method: incoming.method ?? 'GET',
        headers,
        // Node's own stream type, which is the one that its Request takes.
        body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
        duplex: 'half',
      } as RequestInit);
      const response = await handle(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    });
  },
};

function arranged(receiver: ReceiverCore<unknown>, arrangement: Arrangement) {
  const handle = toFetchHandler(receiver);
  return async (request: Request): Promise<Response> => {
    if (arrangement === 'parsed') await request.json();
    if (arrangement === 'consumed') await request.arrayBuffer();
    return handle(request);
  };
}
