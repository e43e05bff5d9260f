import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  type ReferenceWorkspace,
  type WorkspaceSeed,
} from 'messaging-automation/server';
import { onTestFinished } from 'vitest';

export const phone = '+15551234567';
export const otherPhone = '+442071838750';

export const seed = {
  quota: 2,
  templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }],
  segments: [{ id: 'buyers', event: 'order_placed' }],
  contacts: [{ phone, properties: { firstName: 'Ada' } }],
} satisfies WorkspaceSeed;

/** What came back: the status, the headers, and the body read as JSON where there is one. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Asks an endpoint, relative to the base URL. A string, bytes or a stream go out as they are, all else as JSON. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string | undefined>>,
) => Promise<HttpResponse>;

/** A reference server for one test, by default with a frozen clock. */
export function startServer(options: ReferenceServerOptions = {}): ReferenceServer {
  const server = createReferenceServer({ clock: 'frozen', ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Asks a workspace of a server without a socket. */
export function askWith(
  server: ReferenceServer,
  { apiKey }: Pick<ReferenceWorkspace, 'apiKey'> = server,
): Ask {
  return asking((request) => server.fetch(request), 'http://localhost/api', apiKey);
}

/** A reference server for one test, and a way to ask it without a socket. */
export function startWithApi(options: ReferenceServerOptions = {}) {
  const server = startServer(options);
  return { server, ask: askWith(server) };
}

/** Asks a server over a real socket. */
export async function askOverSocket(server: ReferenceServer): Promise<Ask> {
  const { baseUrl } = await server.listen();
  return asking((request) => fetch(request), baseUrl, server.apiKey);
}

/** A field of an object of which nothing is known. */
export function field(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}

const expectText = { asymmetricMatch: (value: unknown) => typeof value === 'string' && value.length > 5 };

/** A body of an error with this code, and a detail for each of these fields. */
export function refusal(code: string, ...fields: readonly string[]): object {
  return {
    error: {
      code,
      message: expectText,
      ...(fields.length > 0 && { details: fields.map((name) => ({ field: name, message: expectText })) }),
    },
  };
}

/** The response to what is not there. */
export const notFound = { status: 404, body: refusal('not_found') };

/** The response to a request whose fields are wrong. */
export const invalid = (...fields: readonly string[]): object => ({
  status: 400,
  body: refusal('invalid_request', ...fields),
});

function serialised(body: unknown): BodyInit | null {
  if (body === undefined) return null;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body);
}

function asking(send: (request: Request) => Promise<Response>, baseUrl: string, apiKey: string): Ask {
  return async (method, path, body, headers = {}) => {
    const sent = new Headers({ Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' });
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) sent.delete(name);
      else sent.set(name, value);
    }
    const response = await send(
      new Request(baseUrl + path, {
        method,
        headers: sent,
        body: serialised(body),
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}
