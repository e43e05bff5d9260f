// Records each call as an OpenTelemetry span, and sends the trace of a request to the service.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hasSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type CallTrace, type Middleware, RequestError } from 'messaging-automation';

const tracer = trace.getTracer('messaging-automation');
const channel = tracingChannel('messaging-automation:call');
const currentSpan = new AsyncLocalStorage<Span>();

/** Call it once, when the process starts. Returns a function that stops the tracing. */
export function traceCalls(): () => void {
  const end = (call: unknown) => endSpan(call as CallTrace);
  channel.start.bindStore(currentSpan, (call) => startSpan(call as CallTrace));
  channel.asyncEnd.subscribe(end);
  return () => {
    channel.start.unbindStore(currentSpan);
    channel.asyncEnd.unsubscribe(end);
  };
}

/**
 * For the client's `middleware`: adds `traceparent` to each request. `@opentelemetry/instrumentation-undici` adds one itself, for a span of
 * its own below this one: where it subscribes, this only makes the span current.
 */
export const propagateTrace: Middleware = (request, next) => {
  const span = currentSpan.getStore();
  const active = span ? trace.setSpan(context.active(), span) : context.active();
  const headers = { ...request.headers };
  if (!hasSubscribers('undici:request:create')) propagation.inject(active, headers);
  return context.with(active, () => next({ ...request, headers }));
};

function startSpan({ operation, method, urlTemplate, serverAddress, serverPort }: CallTrace): Span {
  return tracer.startSpan(`${method} ${urlTemplate}`, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      'url.template': urlTemplate,
      'server.address': serverAddress,
      'server.port': serverPort,
      'messaging_automation.operation': operation,
    },
  });
}

function endSpan({ status, attempts, error, outcome }: CallTrace): void {
  const span = currentSpan.getStore();
  if (status !== undefined) span?.setAttribute('http.response.status_code', status);
  if (attempts > 1) span?.setAttribute('http.request.resend_count', attempts - 1);
  if (error !== undefined) {
    const type = error instanceof RequestError ? error.name : 'aborted';
    span?.setAttributes({ 'error.type': type, 'messaging_automation.outcome': outcome ?? 'unknown' });
    span?.setStatus({ code: SpanStatusCode.ERROR });
  }
  span?.end();
}
