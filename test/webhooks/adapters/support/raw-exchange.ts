import { connect, type Socket } from 'node:net';
import type { Seen, Sent } from './sent.js';

/**
 * Sends a request over a socket of its own, byte for byte as given, and gives the status that came back. Not an HTTP
 * client: those tidy up what these tests are about.
 */
export async function rawExchange(url: string, sent: Sent): Promise<Seen> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const response = new RawResponse(socket);
  const length = sent.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  socket.write(
    [
      `${sent.method} ${pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: close',
      ...sent.headers.map(([name, value]) => `${name}: ${value}`),
      sent.framing === 'length' ? `Content-Length: ${length}` : 'Transfer-Encoding: chunked',
      // Node sends "100 Continue" once the request is with the application: the moment to break off.
      ...(sent.breaksOff ? ['Expect: 100-continue'] : []),
      '\r\n',
    ].join('\r\n'),
  );
  if (sent.breaksOff) {
    await response.begun;
    const [first = new Uint8Array()] = sent.chunks;
    socket.write(first.subarray(0, first.byteLength / 2), () => socket.destroy());
  } else {
    for (const chunk of sent.chunks) socket.write(framed(chunk, sent.framing));
    const trailers = (sent.trailers ?? []).map(([name, value]) => `${name}: ${value}\r\n`);
    if (sent.framing === 'chunked') socket.write(`0\r\n${trailers.join('')}\r\n`);
  }
  return response.status;
}

/** What comes back over a socket. */
class RawResponse {
  /** Settles with the first bytes, or with the end of a connection that brought none. */
  readonly begun: Promise<void>;
  /** The final status, once the connection has ended. */
  readonly status: Promise<Seen>;
  #text = '';

  constructor(socket: Socket) {
    socket.setEncoding('latin1');
    // A receiver that refuses a body stops reading it: writing on then fails, which is no fault of the response.
    socket.on('error', () => undefined);
    this.begun = new Promise((resolve) => {
      socket.once('data', () => resolve()).once('close', () => resolve());
    });
    this.status = new Promise((resolve) => {
      socket.on('data', (text: string) => {
        this.#text += text;
      });
      socket.once('close', () => resolve(finalStatus(this.#text)));
    });
  }
}

function finalStatus(text: string): Seen {
  const [, status] = /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(text) ?? [];
  return status === undefined ? 'no response' : Number(status);
}

function framed(chunk: Uint8Array, framing: Sent['framing']): Uint8Array {
  if (framing === 'length') return chunk;
  const head = `${chunk.byteLength.toString(16)}\r\n`;
  return Buffer.concat([Buffer.from(head), chunk, Buffer.from('\r\n')]);
}
