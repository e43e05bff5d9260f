import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveRequests } from '../../cli/http-servers.js';
import type { CreateEnvironment } from '../environment.js';
import { Receiver } from '../receiver.js';
import { createSeededServer } from './reference.js';

/** The reference server on a real socket of this machine, delivering to a real receiver beside it. */
export const createSocketEnvironment: CreateEnvironment = async (options) => {
  const { server, fixtures } = createSeededServer(options);
  const { baseUrl } = await server.listen({ port: 0 });
  const receiver: Receiver = new Receiver(
    await serveRequests((request, response) => void meet(receiver, request, response)),
  );
  return {
    ...fixtures,
    baseUrl,
    receiver,
    close: () => server.close(),
  };
};

async function meet(receiver: Receiver, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '' } = request;
  const headers = new Headers(
    Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const body = new Uint8Array(Buffer.concat(await request.toArray()));
  const received = receiver.take({ method, path, headers, body });
  if (received === 'never respond') return;
  if (received === 'drop the connection') request.socket.destroy();
  else response.writeHead(received, { Location: receiver.elsewhere }).end();
}
