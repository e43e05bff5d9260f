import { inspect } from 'node:util';
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type ClientOptions, MessagingAutomation } from 'messaging-automation';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { propagateTrace, traceCalls } from '../../examples/opentelemetry/telemetry.js';

const apiKey = 'canary_key_Zq7';
const phone = '+442071838750';

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

test('no canary is in a span', async () => {
  const { messaging } = await tracedClient({ retries: 0 });
  await messaging.contacts.upsert({ phone });
  await messaging.contacts.find(phone);
  await expect(messaging.transactional.send({ phone, templateId: phone })).rejects.toThrow();
  await messaging.webhooks.create({ url: `https://example.com/${phone}`, events: ['message.received'] });
  await expect(messaging.contacts.get(phone)).rejects.toThrow();
  const text = inspect(exporter.getFinishedSpans(), { depth: null, showHidden: true });

  expect(exporter.getFinishedSpans()).toHaveLength(5);
  for (const canary of [apiKey, 'whsec_', phone.slice(3)]) expect(text).not.toContain(canary);
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
  ]);
});
