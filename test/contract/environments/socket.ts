import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { CreateEnvironment } from '../environment.js';
import { Receiver } from '../receiver.js';
import { createSeededServer } from './reference.js';

/** The reference server on a real socket of this machine, delivering to a real receiver beside it. */
export const createSocketEnvironment: CreateEnvironment = async (options) => {
  const { server, hands } = createSeededServer(options);
  const { baseUrl } = await server.listen({ port: 0 });
  const { receiver, close } = await listeningReceiver();
  return {
    ...hands,
    baseUrl,
    receiver,
    async close() {
      await server.close();
      await close();
    },
  };
};

/** A receiver on a socket of this machine. */
export async function listeningReceiver() {
  const http = createServer((request, response) => void meet(receiver, request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  const receiver = new Receiver(`http://127.0.0.1:${address.port}`);
  return {
    receiver,
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}

async function meet(receiver: Receiver, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '' } = request;
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body = new Uint8Array(Buffer.concat(await request.toArray()));
  const answer = receiver.take({ method, path, headers, body });
  if (answer === 'never answer') return;
  if (answer === 'drop the connection') request.socket.destroy();
  else response.writeHead(answer, { Location: receiver.elsewhere }).end();
}
