import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { ReferenceServer } from 'messaging-automation/server';
import { onTestFinished } from 'vitest';
import type { Chance } from '../../soak/chance.js';
import { withResolvers } from '../../waiting.js';

/** The way from the processes to the service: a proxy, and a gateway behind it. */
export interface Network {
  readonly addresses: { readonly proxy: string; readonly baseUrl: string };
  /** Whether things go wrong at random. */
  isTroubled: boolean;
  /** How often the proxy has failed, and how many sends got a response that leaves their outcome unknown. */
  readonly troubles: { readonly outages: number; readonly unclear: number };
  /** Called before the gateway passes a request on, before it responds, and when it has responded. */
  onMoment: () => void;
  /** Cuts all connections, and refuses so many new tunnels. */
  fail(refusals: number): void;
  /** Refuses no more tunnels. */
  mend(): void;
  /** Holds every request at the gateway until the returned function is called. */
  hold(): () => void;
}

/** What comes in place of the response of the service, and whether it leaves open that the send has happened. */
interface Trouble {
  readonly status: number;
  readonly body: string;
  readonly isUnclear: boolean;
}

const troubles: readonly Trouble[] = [
  { status: 200, body: '', isUnclear: true },
  { status: 500, body: '{"error":{"code":"internal_error"}}', isUnclear: true },
  { status: 502, body: '<h1>Bad gateway</h1>', isUnclear: true },
  { status: 400, body: '<h1>Bad request</h1>', isUnclear: false },
  { status: 402, body: '{"error":{"code":"quota_exceeded"}}', isUnclear: false },
  { status: 429, body: '{"error":{"code":"rate_limited"}}', isUnclear: false },
];

export async function startNetwork(server: ReferenceServer, chance: Chance): Promise<Network> {
  const sockets = new Set<Socket>();
  let refusalsLeft = 0;
  let count = 0;
  let held = Promise.resolve();
  const network = {
    isTroubled: false,
    troubles: { outages: 0, unclear: 0 },
    onMoment: () => {},
    fail(refusals: number) {
      network.troubles.outages += 1;
      refusalsLeft = refusals;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      refusalsLeft = 0;
    },
    hold() {
      const { promise, resolve } = withResolvers();
      held = promise;
      return resolve;
    },
  };

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  }
  const happens = (probability: number) => network.isTroubled && chance.in(probability);
  const gateway = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    network.onMoment();
    await held;
    if (happens(0.003)) network.fail(chance.between(1, 60));
    const trouble = happens(0.03) ? troubles[count++ % troubles.length] : undefined;
    if (trouble?.isUnclear) network.troubles.unclear += 1;
    // Every other response that is unclear comes after the service has sent.
    const isServed = trouble === undefined || (trouble.isUnclear && network.troubles.unclear % 2 === 0);
    const served = isServed
      ? await server.fetch(requestFrom(request, Buffer.concat(chunks).toString()))
      : undefined;
    network.onMoment();
    const { status, body } = trouble ?? { status: served?.status ?? 0, body: await served?.text() };
    response.writeHead(status, { 'content-type': body?.startsWith('{') ? 'application/json' : 'text/html' });
    response.end(body, () => network.onMoment());
  });
  gateway.on('connection', keep);
  const proxy = createServer().on('connect', (_, tunnel: Socket) => {
    if (refusalsLeft > 0) {
      refusalsLeft -= 1;
      tunnel.on('error', () => {}).end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const onward = connect(portOf(gateway), '127.0.0.1');
    for (const [socket, other] of [[tunnel, onward] as const, [onward, tunnel] as const]) {
      keep(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    tunnel.write('HTTP/1.1 200 OK\r\n\r\n');
    tunnel.pipe(onward).pipe(tunnel);
  });
  for (const one of [gateway, proxy]) {
    await once(one.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      one.close();
      one.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    });
  }
  const addresses = {
    proxy: `http://127.0.0.1:${portOf(proxy)}`,
    baseUrl: `http://127.0.0.1:${portOf(gateway)}/api`,
  };
  return Object.assign(network, { addresses });
}

function requestFrom({ url, headers: { authorization = '' } }: IncomingMessage, body: string): Request {
  const headers = { authorization, 'content-type': 'application/json' };
  return new Request(`http://localhost${url}`, { method: 'POST', headers, body });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
