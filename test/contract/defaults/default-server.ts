import { MessagingAutomation } from 'messaging-automation';
import {
  createReferenceServer,
  type ReferenceServerOptions,
  type SpecGaps,
} from 'messaging-automation/server';
import { expect, onTestFinished } from 'vitest';
import { Receiver } from '../receiver.js';

export const phone = '+15551234567';

/** The body of a POST /v1/webhooks. */
export const receiver = { url: 'https://receiver.example.test/hooks', events: ['message.received'] };

/** A reference server for one test, reached without a socket, with all its defaults but time and a small quota. */
export function defaultServer(options: ReferenceServerOptions = {}) {
  const hooks = new Receiver('https://receiver.example.test');
  const server = createReferenceServer({
    clock: 'frozen',
    quota: 3,
    templates: [
      { id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' },
      { id: 'summer_sale', body: 'Everything must go.', status: 'rejected' },
    ],
    ...options,
    fetch: async (input, init) => answer(hooks, new Request(input, init)),
  });
  onTestFinished(() => server.close());

  /** One request with the key; text goes out as it is, anything else as JSON. */
  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await server.fetch(
      new Request(`http://localhost/api${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${server.apiKey}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        body: text ?? null,
      }),
    );
    const answered = await response.text();
    const json: unknown = answered === '' ? undefined : JSON.parse(answered);
    return { status: response.status, answer: json, headers: response.headers };
  }

  /** Creates the contact, and gives its id. */
  async function created(properties = {}): Promise<string> {
    const { answer: contact } = await call('POST', '/v1/contacts', { phone, properties });
    return String(Reflect.get(Object(contact), 'id'));
  }

  return { server, hooks, call, created };
}

/** An error body with this code, a sentence for its message, and a detail for each of these fields. */
export function refusal(code: string, ...fields: readonly string[]): object {
  const details = fields.map((field) => ({ field, message: expect.stringMatching(/^\w.+[^.]$/) }));
  const message = expect.stringMatching(/^\S.+\.$/);
  return { error: { code, message, ...(details.length > 0 && { details }) } };
}

async function answer(hooks: Receiver, request: Request): Promise<Response> {
  const body = new Uint8Array(await request.arrayBuffer());
  const { pathname: path } = new URL(request.url);
  const status = hooks.take({ method: request.method, path, headers: request.headers, body });
  if (typeof status !== 'number') throw new TypeError('These tests fail a delivery by its status alone.');
  return new Response(null, { status, headers: { Location: hooks.elsewhere } });
}

/** A reference server with switches set, and the SDK in front of it, which notes each drift. */
export function variantServer(specGaps: Partial<SpecGaps>, options: ReferenceServerOptions = {}) {
  const { server, ...hands } = defaultServer({ ...options, specGaps });
  const drifts: string[] = [];
  const messaging = new MessagingAutomation({
    apiKey: server.apiKey,
    baseUrl: 'http://localhost/api',
    fetch: (url, init) => server.fetch(new Request(url, init)),
    retries: 0,
    onDrift: ({ operation }) => drifts.push(operation),
  });
  return { server, messaging, drifts, ...hands };
}
