import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type ReceiverCore,
  signTestDelivery,
  toFetchHandler,
  toNextPagesHandler,
} from 'messaging-automation/webhooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fixOfFetch, prepare } from '../../webhooks/adapters/fetch/environments.js';
import { describeReaders } from '../../webhooks/adapters/half-read/matrix.js';
import { readersOfRequest, readersOfStream } from '../../webhooks/adapters/half-read/readers.js';
import { drain } from '../../webhooks/adapters/node/node-http.js';
import {
  type BodyState,
  type Endpoint,
  type Environment,
  endpointOf,
} from '../../webhooks/adapters/support/environment.js';
import { describeMatrix } from '../../webhooks/adapters/support/matrix.js';
import { sentAs } from '../../webhooks/adapters/support/sent.js';
import { type NextApplication, startNextApplication } from './application.js';
import { type ServedShop, serveShop } from './served-shop.js';

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

/** Lets the routes receive, behind what reads a request there. */
function handOver(
  receiver: ReceiverCore<unknown>,
  {
    pages: readInPages = () => undefined,
    app: readInApp = () => undefined,
  }: { readonly pages?: (request: IncomingMessage) => unknown; readonly app?: (request: Request) => unknown },
): void {
  const pages = toNextPagesHandler(receiver);
  const app = toFetchHandler(receiver);
  const routes: HandedOver = {
    async pages(request, response) {
      const reading = readInPages(request);
      if (reading instanceof Promise) await reading;
      await pages(request, response);
    },
    async app(request) {
      await readInApp(request);
      return app(request);
    },
  };
  Reflect.set(globalThis, handedOver, routes);
}

/** Serves one path of the application, whatever path is asked for. */
function listenerAtPath(path: string): RequestListener {
  const { listener } = application;
  return (request, response) => {
    request.url = path;
    return listener(request, response);
  };
}

const endpointAtPath = (path: string): Promise<Endpoint> => endpointOf(listenerAtPath(path));

const router = (name: string, fix: string, pathFor: (body: BodyState) => string): Environment => ({
  name,
  fix,
  open(receiver, body) {
    handOver(receiver, {
      pages: async (request) => body === 'consumed' && (await drain(request)),
      app: (request) => prepare(request, body),
    });
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

describeReaders(
  ['/api/unparsed', '/api/proxied/unparsed'].map((path) => ({
    name: path,
    fix: fixOfPages,
    listenerOf(receiver, read) {
      handOver(receiver, { pages: read });
      return listenerAtPath(path);
    },
  })),
  readersOfStream,
);

describeReaders(
  ['/api/route', '/proxied/route'].map((path) => ({
    name: path,
    fix: fixOfFetch,
    listenerOf(receiver, read) {
      handOver(receiver, { app: read });
      return listenerAtPath(path);
    },
  })),
  readersOfRequest,
);

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

describe('an application that creates its client and its receiver where its modules are loaded', () => {
  let shop: ServedShop;

  beforeAll(async () => {
    shop = await serveShop(application.folder, {
      MESSAGING_AUTOMATION_API_KEY: 'key_of_the_shop',
      WEBHOOK_SECRET: secret,
    });
  }, 60_000);
  afterAll(() => shop?.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${shop.url}${path}`, { headers, redirect: 'manual' });

  test('is built without its environment, with a page that reads as a dynamic one', () => {
    expect(application.printed).toContain('There is no API key: pass apiKey');
    for (const page of ['templates', 'later', 'cookie'])
      expect(application.printed).toMatch(`ƒ /shop/${page}`);
    expect(application.printed).toMatch('○ /shop/send');
  });

  test.each(['edge', 'node'])(
    'responds in the runtime %s to what is signed, and calls the service',
    async (runtime) => {
      const before = shop.requests.length;
      const url = `${shop.url}/api/shop/${runtime}`;
      const delivery = signTestDelivery({ secret, url, data: { contactId: `contact_${runtime}` } });

      expect((await fetch(delivery.tampered().toRequest())).status).toBe(401);
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
      expect((await fetch(delivery.late().toRequest())).status).toBe(400);
      expect(shop.requests.length).toBe(before);
      expect((await fetch(delivery.toRequest())).status).toBe(204);
      expect((await fetch(delivery.toRequest())).status).toBe(204);
      expect(shop.requests.slice(before)).toEqual(['POST /api/v1/events Bearer key_of_the_shop']);
    },
  );

  test.each(['edge', 'node'])('reads in a route of the runtime %s', async (runtime) => {
    expect(await (await get(`/api/shop/${runtime}`)).json()).toEqual([]);
    expect(shop.requests.at(-1)).toBe('GET /api/v1/templates Bearer key_of_the_shop');
  });

  test.each([
    ['templates', {}, 'key_of_the_page'],
    ['later', {}, 'key_of_the_shop'],
    ['cookie', { cookie: 'key=key_of_the_cookie' }, 'key_of_the_cookie'],
  ])('reads in the page %s, at each request', async (page, headers, key) => {
    const before = shop.requests.length;
    for (const _ of [1, 2])
      expect(await (await get(`/shop/${page}`, headers)).text()).toContain('0 templates');
    expect(shop.requests.slice(before)).toEqual(Array(2).fill(`GET /api/v1/templates Bearer ${key}`));
  });

  test('redirects where the function for the key does', async () => {
    const before = shop.requests.length;
    const response = await get('/shop/cookie');

    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe('/shop/login');
    expect(shop.requests.length).toBe(before);
  });

  test('sends in a server action, once', async () => {
    const page = await (await get('/shop/send')).text();
    const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(page) ?? [];
    const body = new FormData();
    body.set(action, '');
    body.set('phone', '+15551234567');
    const before = shop.requests.length;
    const response = await fetch(`${shop.url}/shop/send`, { method: 'POST', body, redirect: 'manual' });

    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toContain('/shop/sent');
    expect(shop.requests.slice(before)).toEqual(['POST /api/v1/transactional Bearer key_of_the_shop']);
  });

  test('leaves no rejection unhandled', () => {
    expect(shop.hasEnded()).toBe(false);
    expect(shop.printed()).not.toMatch(/unhandled|not supported|⨯/i);
  });
});

test('a started application without its environment says at each call what is missing', async () => {
  const shop = await serveShop(application.folder, { MESSAGING_AUTOMATION_BASE_URL: '' });
  try {
    for (const runtime of ['edge', 'node']) {
      const response = await fetch(`${shop.url}/api/shop/${runtime}`);
      expect(await response.json()).toMatchObject({ name: 'NotConfiguredError', outcome: 'not_sent' });
      const signed = signTestDelivery({ secret, url: response.url });
      expect((await fetch(signed.toRequest())).status).toBe(500);
    }
    expect(shop.requests).toEqual([]);
  } finally {
    await shop.close();
  }
});
