// Records each delivery that a handler handles as an OpenTelemetry span. What the handler calls is part of that span.
import { type Attributes, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { WebhookEvent, WebhookHandler } from 'messaging-automation/webhooks';

const tracer = trace.getTracer('messaging-automation');

/** For a handler of a receiver. Its span is a child of the active span, such as the span of the HTTP request, or a root. */
export function traceHandler<Event extends WebhookEvent, Request>(
  handler: WebhookHandler<Event, Request>,
): WebhookHandler<Event, Request> {
  return (event, context) => {
    const options = { kind: SpanKind.CONSUMER, attributes: attributesOf(event) };
    return tracer.startActiveSpan(`process ${event.event}`, options, async (span) => {
      try {
        await handler(event, context);
      } catch (error) {
        // The message of an error can contain a phone number or a text.
        span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER');
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

function attributesOf(event: WebhookEvent): Attributes {
  const attributes = {
    'messaging.system.name': 'messaging_automation',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': event.event,
  };
  if (event.event !== 'message.received') return attributes;
  const { messageId, conversationId } = event.data;
  return {
    ...attributes,
    'messaging.message.id': messageId,
    'messaging.message.conversation_id': conversationId,
  };
}
