// Two calls inside the span of a job, a delivery whose handler replies, and the spans that OpenTelemetry records.
// Run it with: npx tsx --tsconfig tsconfig.package.json examples/opentelemetry/main.ts
import { once } from 'node:events';
import { createServer } from 'node:http';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { MessagingAutomation } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { traceHandler } from './deliveries.js';
import { propagateTrace, traceCalls } from './telemetry.js';

const phone = '+15551234567';
const templateId = 'welcome';

// An application uses @opentelemetry/sdk-node for this, with an exporter for its backend.
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
const stopTracing = traceCalls();

await using server = createReferenceServer({ templates: [{ id: templateId, body: 'Welcome!' }] });
const { baseUrl } = await server.listen({ port: 0 });
const messaging = new MessagingAutomation({
  apiKey: server.apiKey,
  baseUrl,
  middleware: [propagateTrace],
});

await trace.getTracer('example').startActiveSpan('welcome a contact', async (span) => {
  await messaging.contacts.upsert({ phone });
  await messaging.contacts.get('unknown').catch(() => {});
  span.end();
});

await using app = createServer().listen(0, '127.0.0.1');
await once(app, 'listening');
const address = app.address();
const port = typeof address === 'object' ? address?.port : undefined;
const { secret } = await messaging.webhooks.create({
  url: `http://127.0.0.1:${port}/webhooks`,
  events: ['message.received'],
});
const receiver = createWebhookReceiver({ secret }).on(
  'message.received',
  traceHandler(({ data }) => messaging.transactional.send({ phone: data.phone, templateId })),
);
app.on('request', toNodeHandler(receiver));
await server.contact(phone).says('Hello');
await server.settled();
stopTracing();

for (const { name, parentSpanContext, attributes } of exporter.getFinishedSpans())
  console.log(parentSpanContext ? '  ' : '', name, attributes);
