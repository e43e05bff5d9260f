import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A port of this machine that speaks whatever a test likes, and its connections in the order in which they came. */
export async function startPort(behave: (socket: Socket, data: Buffer) => void) {
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
