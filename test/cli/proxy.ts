import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** After how many bytes a connection is cut. */
export interface Limit {
  readonly way: 'to the server' | 'from the server';
  readonly bytes: number;
}

/** A port whose connections to a server can be cut. */
export async function startProxy({ url }: { readonly url: string }) {
  const sockets = new Set<Socket>();
  let target = url;
  let isBlocked = false;
  let cuts = 0;
  let nextLimit: () => Limit | undefined = () => undefined;
  let onLostReply: (() => void) | undefined;
  const proxy = createServer((incoming) => {
    if (isBlocked) {
      incoming.on('error', () => {}).destroy();
      return;
    }
    const outgoing = connect(Number(new URL(target).port), '127.0.0.1');
    const both = [incoming, outgoing];
    const cut = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket
        .on('error', cut)
        .on('end', cut)
        .on('close', () => sockets.delete(socket));
    }
    outgoing.on('data', () => {
      if (onLostReply === undefined) return;
      cut();
      onLostReply();
      onLostReply = undefined;
    });
    const limit = nextLimit();
    const cutAtLimit = () => {
      cuts += 1;
      cut();
    };
    pass(incoming, outgoing, limit?.way === 'to the server' ? limit.bytes : undefined, cutAtLimit);
    pass(outgoing, incoming, limit?.way === 'from the server' ? limit.bytes : undefined, cutAtLimit);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    proxy.close();
    cutAll();
  });
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    /** How many connections were cut at their limit. */
    get cuts() {
      return cuts;
    },
    /** Cuts every connection. */
    cut: cutAll,
    /** Cuts every connection, and each new one at once, until it is called with false. */
    block(blocked: boolean) {
      isBlocked = blocked;
      if (blocked) cutAll();
    },
    /** Connects from now on to the server at this URL. */
    lead(to: string) {
      target = to;
    },
    /** Cuts each new connection once this many bytes went one of the ways; undefined for never. */
    limit(limits: () => Limit | undefined) {
      nextLimit = limits;
    },
    /** Cuts the connection at the next bytes from the server, and loses those. Resolves then. */
    loseReply: () =>
      new Promise<void>((resolve) => {
        onLostReply = resolve;
      }),
  };
}

/** Passes bytes on, as many as there may be; the last ones arrive before the cut. */
function pass(from: Socket, to: Socket, most: number | undefined, cut: () => void): void {
  let left = most ?? Number.POSITIVE_INFINITY;
  from.on('data', (chunk: Buffer) => {
    if (left === 0 || from.destroyed) return;
    const passed = chunk.subarray(0, Math.min(left, chunk.length));
    left -= passed.length;
    to.write(passed, left === 0 ? cut : undefined);
  });
}
