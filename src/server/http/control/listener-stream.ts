import type { Reply } from '../../answers/answer.js';
import type { ListenerOccurrence } from '../../model/listener.js';
import { listen } from '../../workspace-api/listeners.js';
import type { Application } from '../application.js';
import { controlOperations } from './control-operations.js';
import { answerTo } from './refusal.js';
import { eventStream, eventStreamHeaders, eventText, idleAfter, idleText } from './server-sent-events.js';
import { readControlRequest } from './serving.js';

const operation = controlOperations.listeners.attempts;

/** How long a listener waits before it connects again, in milliseconds. Less than the timeout of an attempt. */
const reconnectAfter = 100;

/** Serves the delivery attempts of a listener as server-sent events. */
export function serveListenerStream(application: Application): void {
  application.handle(operation.method, operation.path, async (exchange, live): Promise<Reply> => {
    const { request } = exchange;
    const { path } = await readControlRequest(application, operation, exchange);
    const { status } = operation;
    // The response to a HEAD request has no body, so nothing would end the stream.
    if (request.method === 'HEAD') return { status, headers: eventStreamHeaders };
    try {
      const occurrences = listen(live, path.id, { gone: request.gone, idleAfter });
      const start = eventText('start', { workspaceId: live.id, listenerId: path.id });
      return { status, ...eventStream({ reconnectAfter, start, occurrences, textOf }) };
    } catch (error) {
      return answerTo(error, request.gone.aborted);
    }
  });
}

function textOf(occurrence: ListenerOccurrence): string {
  switch (occurrence.kind) {
    case 'attempt': {
      const { body, ...others } = occurrence.attempt;
      return eventText('attempt', { ...others, body: inBase64(body) });
    }
    case 'ended': {
      const { attemptId, error } = occurrence;
      return eventText('ended', { attemptId, error });
    }
    case 'removed':
      return eventText('removed', {});
    case 'idle':
      return idleText;
  }
}

/** Encodes in pieces, because the number of arguments of a call is limited. */
function inBase64(bytes: Uint8Array): string {
  let text = '';
  const length = 8_192;
  for (let start = 0; start < bytes.byteLength; start += length) {
    text += String.fromCharCode(...bytes.subarray(start, start + length));
  }
  return btoa(text);
}
