import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { context, propagation, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type ClientOptions, MessagingAutomation } from 'messaging-automation';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import {
  createWebhookReceiver,
  signTestDelivery,
  toNodeHandler,
  type WebhookEvent,
  type WebhookHandler,
} from 'messaging-automation/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { traceHandler } from '../../examples/opentelemetry/deliveries.js';
import { propagateTrace, traceCalls } from '../../examples/opentelemetry/telemetry.js';
import { startListener } from '../server/support/listener.js';

const apiKey = 'canary_key_Zq7';
const phone = '+442071838750';
const text = 'canary_text_Wm3';

const exporter = new InMemorySpanExporter();
let server: ReferenceServer;
let stopTracing: () => void;

beforeAll(() => {
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});

beforeEach(() => {
  server = createReferenceServer({ apiKey });
  exporter.reset();
  stopTracing = traceCalls();
});

afterEach(async () => {
  stopTracing();
  await server.close();
});

afterAll(stopGlobals);

function stopGlobals(): void {
  trace.disable();
  propagation.disable();
  context.disable();
}

/** A client whose first `failures` requests fail, and the `traceparent` of those that it makes. */
async function tracedClient(options: ClientOptions = {}, failures = 0) {
  const { baseUrl } = await server.listen({ port: 0 });
  const parents: (string | null)[] = [];
  const messaging = new MessagingAutomation({
    apiKey,
    baseUrl,
    middleware: [propagateTrace],
    backoff: { initial: 0 },
    fetch: async (url, init) => {
      parents.push(new Headers(init.headers).get('traceparent'));
      return parents.length > failures ? fetch(url, init) : new Response('', { status: 503 });
    },
    ...options,
  });
  return { messaging, parents, port: Number(new URL(baseUrl).port) };
}

/**
 * A receiver whose handler is traced. As with an instrumentation of HTTP, each request has a span, whose context is in `requests`.
 */
async function tracedReceiver(handler: WebhookHandler<WebhookEvent>) {
  const requests: SpanContext[] = [];
  let listener: RequestListener = () => {};
  const url = await startListener((request, response) =>
    trace.getTracer('http').startActiveSpan('POST /hooks', { kind: SpanKind.SERVER }, (span) => {
      requests.push(span.spanContext());
      response.once('close', () => span.end());
      listener(request, response);
    }),
  );
  const { secret } = await server.client.webhooks.create({
    url,
    events: ['message.received', 'contact.opted_out'],
  });
  const errors: unknown[] = [];
  const receiver = createWebhookReceiver({
    secret,
    onError: (error) => errors.push(error),
    onRefused: () => {},
  });
  listener = toNodeHandler(receiver.onAny(traceHandler(handler)));
  return { requests, url, secret, errors };
}

/** The spans of deliveries. */
const processed = () => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CONSUMER);

/** A contact writes. Resolves when the first attempt of the delivery has ended. */
async function write(body = text) {
  const message = await server.simulate.inboundMessage({ phone, body });
  await server.settled();
  return message;
}

/** What `@opentelemetry/instrumentation-undici` does with each request of `fetch`: it adds the header of a span of its own. */
function instrumentFetch(): Disposable {
  const instrument = (message: unknown) => {
    const { request }: { readonly request: { addHeader(name: string, value: string): void } } =
      Object(message);
    const span = trace.getTracer('undici').startSpan('fetch');
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    for (const [name, value] of Object.entries(headers)) request.addHeader(name, value);
    span.end();
  };
  subscribe('undici:request:create', instrument);
  return { [Symbol.dispose]: () => unsubscribe('undici:request:create', instrument) };
}

test('beside an instrumentation of fetch, each request has one traceparent: that of its span below the call', async () => {
  const received: (readonly string[])[] = [];
  const baseUrl = await startListener((request, response) => {
    received.push(
      request.rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() === 'traceparent'),
    );
    response.setHeader('Content-Type', 'application/json').end('[]');
  });
  const messaging = new MessagingAutomation({ apiKey, baseUrl, middleware: [propagateTrace] });
  await messaging.templates.list();
  const instrumentation = instrumentFetch();
  await messaging.templates.list();
  instrumentation[Symbol.dispose]();

  const spans = exporter.getFinishedSpans();
  const idOf = (name: string, index = 0) =>
    spans.filter((span) => span.name === name)[index]?.spanContext().spanId;
  expect(received).toEqual([
    [expect.stringContaining(`-${idOf('GET /v1/templates')}-`)],
    [expect.stringContaining(`-${idOf('fetch')}-`)],
  ]);
  expect(spans.find(({ name }) => name === 'fetch')?.parentSpanContext?.spanId).toBe(
    idOf('GET /v1/templates', 1),
  );
});

test('a call becomes a span by the conventions for HTTP clients', async () => {
  const { messaging, port } = await tracedClient();
  await messaging.contacts.upsert({ phone });

  expect(exporter.getFinishedSpans()).toMatchObject([
    {
      name: 'POST /v1/contacts',
      attributes: {
        'http.request.method': 'POST',
        'url.template': '/v1/contacts',
        'server.address': '127.0.0.1',
        'server.port': port,
        'http.response.status_code': 201,
        'messaging_automation.operation': 'contacts.upsert',
      },
      status: { code: SpanStatusCode.UNSET },
    },
  ]);
  expect(exporter.getFinishedSpans()[0]?.attributes).not.toHaveProperty('http.request.resend_count');
});

test('a failed call becomes a failed span', async () => {
  const { messaging } = await tracedClient({ retries: 1 }, 2);
  await expect(messaging.contacts.get('c1')).rejects.toThrow();

  expect(exporter.getFinishedSpans()).toMatchObject([
    {
      name: 'GET /v1/contacts/:id',
      attributes: {
        'http.response.status_code': 503,
        'http.request.resend_count': 1,
        'error.type': 'ServerError',
        'messaging_automation.outcome': 'unknown',
      },
      status: { code: SpanStatusCode.ERROR },
    },
  ]);
});

test('the span is part of the trace that was active, and every request names it', async () => {
  const { messaging, parents } = await tracedClient({}, 1);
  await trace.getTracer('test').startActiveSpan('job', async (job) => {
    await Promise.all([messaging.templates.list(), messaging.webhooks.list()]);
    job.end();
  });
  const spans = exporter.getFinishedSpans();
  const job = spans.find(({ name }) => name === 'job')?.spanContext();
  const calls = spans.filter(({ name }) => name !== 'job');

  expect(calls).toHaveLength(2);
  for (const call of calls)
    expect(call.parentSpanContext).toMatchObject({ spanId: job?.spanId, traceId: job?.traceId });
  expect(parents).toHaveLength(3); // the first request failed and was made again
  expect(new Set(parents)).toEqual(
    new Set(calls.map((call) => `00-${job?.traceId}-${call.spanContext().spanId}-01`)),
  );
});

test('a delivery becomes a span by the conventions for messaging, between its request and its reply', async () => {
  const { messaging, parents } = await tracedClient();
  await server.templates.put({ id: 'thanks', body: 'Thank you!' });
  const { requests } = await tracedReceiver(() =>
    messaging.transactional.send({ phone, templateId: 'thanks' }),
  );
  const { messageId, conversationId } = await write();
  const reply = exporter.getFinishedSpans().find(({ name }) => name === 'POST /v1/transactional');
  const [delivery] = processed();

  expect(processed()).toHaveLength(1);
  expect(delivery).toMatchObject({
    name: 'process message.received',
    kind: SpanKind.CONSUMER,
    status: { code: SpanStatusCode.UNSET },
    parentSpanContext: requests[0],
    events: [],
    links: [],
  });
  expect(delivery?.attributes).toEqual({
    'messaging.system.name': 'messaging_automation',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'message.received',
    'messaging.message.id': messageId,
    'messaging.message.conversation_id': conversationId,
  });
  expect(reply).toMatchObject({ kind: SpanKind.CLIENT, parentSpanContext: delivery?.spanContext() });
  expect(parents).toEqual([`00-${requests[0]?.traceId}-${reply?.spanContext().spanId}-01`]);
});

test('each attempt whose handler runs has its span, which fails with the handler', async () => {
  const failures: unknown[] = [new TypeError(`${phone} wrote ${text}`), `${phone} wrote ${text}`];
  const { requests, errors } = await tracedReceiver(() => {
    if (errors.length < failures.length) throw failures[errors.length];
  });
  await write();
  await server.clock.advance('1h');
  const failed = { code: SpanStatusCode.ERROR };

  expect(errors).toEqual(failures);
  expect(processed().map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
    [failed, 'TypeError'],
    [failed, '_OTHER'],
    [{ code: SpanStatusCode.UNSET }, undefined],
  ]);
  expect(processed().map(({ parentSpanContext }) => parentSpanContext)).toEqual(requests);
});

test('a delivery without a message has a span without ids, and without an active span its own trace', async () => {
  const secret = 'whsec_example';
  const receiver = createWebhookReceiver({ secret, onUnknownEvent: traceHandler(() => {}) });
  receiver.on(
    'contact.opted_out',
    traceHandler(() => {}),
  );
  const url = await startListener(toNodeHandler(receiver));
  const delivery = signTestDelivery({ secret, event: 'contact.opted_out', data: { phone, keyword: text } });
  for (const sent of [delivery, delivery.unknownType()]) {
    expect((await fetch(sent.toRequest(url))).status).toBe(204);
  }

  expect(processed()).toHaveLength(2);
  expect(processed()[0]?.name).toBe('process contact.opted_out');
  for (const { name, attributes, parentSpanContext } of processed()) {
    expect(parentSpanContext).toBeUndefined();
    expect(attributes).toEqual({
      'messaging.system.name': 'messaging_automation',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': name.replace('process ', ''),
    });
  }
});

test('a delivery that no handler handles has no span: refused, or a duplicate', async () => {
  const { url, secret, requests } = await tracedReceiver(() => {});
  const delivery = signTestDelivery({ secret, data: { body: text } });
  const responses = [];
  for (const sent of [delivery.tampered(), delivery.unsigned(), delivery, delivery.duplicate()])
    responses.push((await fetch(sent.toRequest(url))).status);

  expect(responses).toEqual([401, 401, 204, 204]);
  expect(processed().map(({ parentSpanContext }) => parentSpanContext)).toEqual([requests[2]]);
});

test('no canary of a delivery is in a span', async () => {
  const { secret, errors } = await tracedReceiver((_event, { request }) => {
    throw new Error(`${phone} wrote ${text}, ${inspect(request)}`, { cause: new Error(text) });
  });
  await write();
  await write('STOP');
  const spans = inspect(exporter.getFinishedSpans(), { depth: null, showHidden: true });

  expect(errors).toHaveLength(3);
  expect(processed()).toHaveLength(3);
  for (const canary of [apiKey, secret, text, phone.slice(3)]) expect(spans).not.toContain(canary);
});

test('no canary of a call is in a span', async () => {
  const { messaging } = await tracedClient({ retries: 0 });
  await messaging.contacts.upsert({ phone });
  await messaging.contacts.find(phone);
  await expect(messaging.transactional.send({ phone, templateId: phone })).rejects.toThrow();
  await messaging.webhooks.create({ url: `https://example.com/${phone}`, events: ['message.received'] });
  await expect(messaging.contacts.get(phone)).rejects.toThrow();
  const spans = inspect(exporter.getFinishedSpans(), { depth: null, showHidden: true });

  expect(exporter.getFinishedSpans()).toHaveLength(5);
  for (const canary of [apiKey, 'whsec_', phone.slice(3)]) expect(spans).not.toContain(canary);
});

test('the example runs', async () => {
  stopTracing();
  stopGlobals();
  vi.resetModules(); // as in a process of its own
  using log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import('../../examples/opentelemetry/main.js');

  expect(log.mock.calls.map(([indent, name]) => [indent, name])).toEqual([
    ['  ', 'POST /v1/contacts'],
    ['  ', 'GET /v1/contacts/:id'],
    ['', 'welcome a contact'],
    ['', 'POST /v1/webhooks'],
    ['  ', 'POST /v1/transactional'],
    ['', 'process message.received'],
  ]);
});
