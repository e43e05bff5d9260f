import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server that a test can cut. */
export interface CuttableProxy {
  readonly url: string;
  /** Breaks all connections, and each new one. */
  cut(): void;
  /** Lets connections through again. */
  restore(): void;
}

/** Stands between a page and a server until the end of the test. */
export async function cuttableProxy(to: string): Promise<CuttableProxy> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (isCut) {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect(Number(target.port), target.hostname);
    keep(outgoing);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    breakAll();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    cut() {
      isCut = true;
      breakAll();
    },
    restore() {
      isCut = false;
    },
  };
}
