import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type ReceiverCore,
  signTestDelivery,
  toFetchHandler,
  toNextPagesHandler,
} from 'messaging-automation/webhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fixOfFetch, prepare } from '../fetch/environments.js';
import { type BodyState, type Endpoint, type Environment, endpointOf } from '../support/environment.js';
import { describeMatrix } from '../support/matrix.js';
import { sentAs } from '../support/sent.js';
import { type NextApplication, startNextApplication } from './application.js';

const secret = 'whsec_example';
let application: NextApplication;

beforeAll(async () => {
  vi.stubEnv('WEBHOOK_SECRET', secret); // which the examples read
  application = await startNextApplication();
}, 300_000); // a build, which no network is needed for but a machine's full attention
afterAll(async () => {
  await application?.close();
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, handedOver);
});

const handedOver = Symbol.for('messaging-automation.test.next');

/** What the routes of the application in `app/` do. */
interface HandedOver {
  readonly pages: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly app: (request: Request) => Promise<Response>;
}

function handOver(receiver: ReceiverCore<unknown>, body: BodyState): void {
  const pages = toNextPagesHandler(receiver);
  const app = toFetchHandler(receiver);
  const routes: HandedOver = {
    async pages(request, response) {
      if (body === 'consumed') for await (const _ of request);
      await pages(request, response);
    },
    async app(request) {
      await prepare(request, body);
      return app(request);
    },
  };
  Reflect.set(globalThis, handedOver, routes);
}

/** Serves one path of the application, whatever path is asked for. */
function endpointAtPath(path: string): Promise<Endpoint> {
  const { listener }: { listener: RequestListener } = application;
  return endpointOf((request, response) => {
    request.url = path;
    return listener(request, response);
  });
}

const router = (name: string, fix: string, pathFor: (body: BodyState) => string): Environment => ({
  name,
  fix,
  open(receiver, body) {
    handOver(receiver, body);
    return endpointAtPath(pathFor(body));
  },
});
const fixOfPages = 'export const config = { api: { bodyParser: false } }';
const parsedOrNot = (body: BodyState) => (body === 'parsed' ? 'parsed' : 'unparsed');

// In real Next.js: each router, with and without a proxy that has seen the body.
describeMatrix('Next.js', [
  router('pages', fixOfPages, (body) => `/api/${parsedOrNot(body)}`),
  router('app router', fixOfFetch, () => '/api/route'),
  router('pages, proxy', fixOfPages, (body) => `/api/proxied/${parsedOrNot(body)}`),
  router('app router, proxy', fixOfFetch, () => '/proxied/route'),
]);

test.each(['app', 'pages'])(
  'the nextjs-%s example, in its place in an application, handles what was signed',
  async (name) => {
    using printed = vi.spyOn(console, 'log').mockReturnValue();
    const endpoint = await endpointAtPath(`/api/example-${name}`);
    const delivery = signTestDelivery({ secret, data: { contactId: 'contact_1', body: 'Hello' } });

    expect(await endpoint.send(sentAs(delivery.tampered()))).toBe(401);
    expect(printed).not.toHaveBeenCalled();
    expect(await endpoint.send(sentAs(delivery))).toBe(204);
    expect(printed.mock.calls).toEqual([['contact_1: Hello']]);
    await endpoint.close();
  },
);

test('Next.js itself responds to OPTIONS where a route has only POST, and nothing is handled', async () => {
  using printed = vi.spyOn(console, 'log').mockReturnValue();
  const endpoint = await endpointAtPath('/api/example-app');
  const sent = sentAs(signTestDelivery({ secret }));

  expect(await endpoint.send({ ...sent, method: 'OPTIONS' })).toBe(204);
  expect(printed).not.toHaveBeenCalled();
  await endpoint.close();
});
