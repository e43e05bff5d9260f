import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request to the service, on its way. */
export interface ApiRequest {
  readonly method: string;
  /** From `/v1` on, without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response of the service, on its way back. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A delivery, on its way to a subscription's url. */
export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The service behind the proxy, as a fault uses it. */
export interface Service {
  /** The key of the workspace that is checked. */
  readonly apiKey: string;
  /** The key of another workspace. */
  readonly otherApiKey: string | undefined;
  /** Makes a request to the service itself. */
  readonly ask: (request: ApiRequest) => Promise<ApiResponse>;
  /** Makes a delivery. */
  readonly deliver: (delivery: Delivery) => Promise<number>;
  /** Signs as the service does, with the secret that it gave to the subscription of this url. */
  readonly sign: (delivery: Pick<Delivery, 'url' | 'body'>) => string;
  /** Does this later, at the end of a wait of the check. */
  readonly later: (work: () => Promise<unknown>) => void;
  /** The urls that subscriptions were made with, in order. */
  readonly urls: readonly string[];
}

/** One behaviour, broken: stands between the service and the others. */
export interface Fault {
  readonly api?: (request: ApiRequest, service: Service) => Promise<ApiResponse>;
  readonly delivery?: (delivery: Delivery, service: Service) => Promise<number>;
}

/** A proxy on a real socket that breaks one behaviour of the service behind it, its deliveries included. */
export async function breakingProxy(
  serviceUrl: string,
  fault: Fault,
  { apiKey, otherApiKey, later }: Pick<Service, 'apiKey' | 'otherApiKey' | 'later'>,
) {
  const secrets = new Map<string, string>();
  let own = '';
  const viaProxy = (url: string) => `${own}/deliver/${encodeURIComponent(url)}`;

  const service: Service = {
    apiKey,
    otherApiKey,
    async ask(request) {
      const response = await fetch(`${serviceUrl}${request.path}${request.query}`, {
        method: request.method,
        headers: { ...request.headers },
        ...(request.body !== '' && { body: subscribedTo(request, viaProxy) }),
      });
      const text = await response.text();
      const body = text.replaceAll(/http:\/\/127\.0\.0\.1:\d+\/deliver\/([^"]+)/g, (_, url: string) =>
        decodeURIComponent(url),
      );
      if (request.method === 'POST' && request.path === '/v1/webhooks' && response.ok) {
        const { url, secret } = JSON.parse(body);
        secrets.set(url, secret);
      }
      const { 'content-length': _, ...headers } = Object.fromEntries(response.headers);
      return { status: response.status, headers, body };
    },
    async deliver({ url, headers, body }) {
      const response = fetch(url, { method: 'POST', headers: { ...headers }, body });
      if (!url.endsWith('/fails-late')) return (await response).status;
      // Nobody waits in a test: it gives up at once.
      response.catch(() => {});
      return 504;
    },
    sign: ({ url, body }) =>
      createHmac('sha256', secrets.get(url) ?? '')
        .update(body)
        .digest('hex'),
    later,
    get urls() {
      return [...secrets.keys()];
    },
  };

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray()).toString('utf8');
    const { pathname, search } = new URL(incoming.url ?? '', own);
    const headers = passedOn(incoming);
    if (pathname.startsWith('/deliver/')) {
      // As the check's own receiver does: what a kept connection lost would come again at once.
      response.setHeader('Connection', 'close');
      const delivery = { url: decodeURIComponent(pathname.slice('/deliver/'.length)), headers, body };
      const status = await (fault.delivery ?? ((it) => service.deliver(it)))(delivery, service);
      response.writeHead(status).end();
      return;
    }
    const request = {
      method: incoming.method ?? '',
      path: pathname.slice('/api'.length),
      query: search,
      headers,
      body,
    };
    const received = await (fault.api ?? service.ask)(request, service);
    response.writeHead(received.status, { ...received.headers }).end(received.body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  own = `http://127.0.0.1:${address.port}`;
  return {
    baseUrl: `${own}/api`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Subscriptions to this machine deliver through the proxy. */
function subscribedTo({ method, path, body }: ApiRequest, viaProxy: (url: string) => string): string {
  if (method !== 'POST' || path !== '/v1/webhooks' || !body.includes('"http://127.0.0.1')) return body;
  const subscription = JSON.parse(body);
  return JSON.stringify({ ...subscription, url: viaProxy(subscription.url) });
}

function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const hopByHop = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'];
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
