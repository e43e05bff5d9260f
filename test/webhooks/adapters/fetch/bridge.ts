import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

/** A Fetch handler behind a bridge as SvelteKit, Remix and Next.js have one: a Request of Node's own over the stream. */
export function bridged(handle: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
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
  };
}
