// One call that succeeds and one that fails, each inside the span of a job, and the spans that OpenTelemetry records.
// Run it with: npx tsx --tsconfig tsconfig.package.json examples/opentelemetry/main.ts
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
import { propagateTrace, traceCalls } from './telemetry.js';

// An application uses @opentelemetry/sdk-node for this, with an exporter for its backend.
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
const stopTracing = traceCalls();

await using server = createReferenceServer();
const { baseUrl } = await server.listen({ port: 0 });
const messaging = new MessagingAutomation({
  apiKey: server.apiKey,
  baseUrl,
  middleware: [propagateTrace],
});

await trace.getTracer('example').startActiveSpan('welcome a contact', async (span) => {
  await messaging.contacts.upsert({ phone: '+15551234567' });
  await messaging.contacts.get('unknown').catch(() => {});
  span.end();
});
stopTracing();

for (const { name, parentSpanContext, attributes } of exporter.getFinishedSpans())
  console.log(parentSpanContext ? '  ' : '', name, attributes);
