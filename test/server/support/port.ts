import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A port of this machine that speaks whatever a test likes. */
export interface Port {
  readonly port: number;
  readonly url: string;
  /** In the order in which they came. */
  readonly connections: readonly Socket[];
}

export async function startPort(behave: (socket: Socket, data: Buffer) => void): Promise<Port> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => behave(socket, data));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port.');
  return { port: address.port, url: `http://127.0.0.1:${address.port}/hooks`, connections };
}
