import type { CreatedWebhookSubscription } from '../../contract/subscription.js';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type {
  ListenerAnswer,
  ListenerAttempt,
  ListenerOccurrence,
  ListenerOutcome,
} from '../model/listener.js';
import { ServiceError } from '../model/service-error.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';
import { type ListenerSeed, listenerAnswerSchema, listenerSchema } from './listener-schemas.js';
import { WaitEndedError } from './wait.js';

/**
 * Delivers to programs that the server cannot reach. A listener connects to the server, gets each delivery attempt, forwards
 * it to the receiver, and reports the receiver's response. The server treats the report as the response of the receiver:
 * retries, timeouts and faults work as usual. `messaging-automation listen` is a listener over HTTP.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const listener = await server.listeners.create({ url: 'http://localhost:3000/webhooks' });
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
 * for await (const { attemptId, event } of server.listeners.attempts(listener.id)) {
 *   console.log(event); // message.received
 *   await server.listeners.answer(listener.id, attemptId, { status: 204 });
 *   break;
 * }
 * ```
 */
export interface WorkspaceListeners {
  /**
   * Creates a listener and its managed subscription, which has the same id.
   *
   * @returns The subscription with its secret. Its `url` is `listen:` followed by the listener's `url`.
   * @throws ConfigurationError that names each invalid field; Error if the workspace already has 10 listeners.
   */
  create(listener: ListenerSeed): Promise<CreatedWebhookSubscription>;
  /**
   * Connects the listener, and yields each delivery attempt: first the waiting ones, then each new one. Ends when the
   * signal aborts, the listener is removed or connects again, or the workspace closes. The server removes a listener that
   * is not connected for a minute.
   *
   * @throws Error if no listener has the id, or the workspace is closed.
   */
  attempts(listenerId: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<ListenerAttempt>;
  /**
   * Reports the receiver's response to an attempt. Only the first report counts. Repeating a report is safe.
   *
   * @throws ConfigurationError if the answer is invalid; Error if no listener has the id, or it had no such attempt.
   */
  answer(listenerId: string, attemptId: string, answer: ListenerAnswer): Promise<ListenerOutcome>;
  /** Removes a listener and its subscription, and cancels its pending deliveries. False if no listener has the id. */
  remove(listenerId: string): Promise<boolean>;
}

export function listenersOf(live: LiveWorkspace): WorkspaceListeners {
  const { life, listeners, services } = live;
  return {
    async create(listener) {
      const { events = webhookEventTypes, ...seed } = checked(listenerSchema, 'The listener', listener);
      await life.opened();
      return listeners.add(() => services.subscriptions.listen({ ...seed, events }));
    },
    async *attempts(listenerId, { signal = new AbortController().signal } = {}) {
      await life.opened();
      for await (const occurrence of listen(live, listenerId, { gone: signal, idleAfter: '1h' })) {
        if (occurrence.kind === 'attempt') yield occurrence.attempt;
      }
    },
    async answer(listenerId, attemptId, answer) {
      const report = checked(listenerAnswerSchema, 'The answer', answer);
      await life.opened();
      const outcome = listeners.get(listenerId).answer(attemptId, report);
      if (outcome !== undefined) return outcome;
      throw new ServiceError(
        'not_found',
        'The listener had no attempt with this id since the server started.',
      );
    },
    async remove(listenerId) {
      await life.opened();
      return listeners.remove(listenerId);
    },
  };
}

export interface ListenOptions {
  /** Ends the connection when the listener disconnects. */
  readonly gone: AbortSignal;
  /** How long nothing must happen before an `idle` occurrence, by the machine's clock. */
  readonly idleAfter: Duration;
}

/**
 * Connects a listener.
 *
 * @throws At the call: ServiceError if no listener has the id; RateLimitedError if too many followers and waits are active;
 *   WaitEndedError if the workspace closes.
 */
export function listen(
  { listeners, waits }: LiveWorkspace,
  listenerId: string,
  { gone, idleAfter }: ListenOptions,
): AsyncIterable<ListenerOccurrence> {
  const listener = listeners.get(listenerId);
  let isOver = false;
  let end = () => {
    isOver = true;
  };
  const onClose = () => end();
  // First, because it may refuse.
  const leave = waits.begin(onClose);
  if (isOver) {
    leave();
    throw new WaitEndedError('The workspace is closed or about to close. It makes no more deliveries.');
  }
  const connection = listener.connect(toMilliseconds(idleAfter), () => {
    leave();
    gone.removeEventListener('abort', onClose);
  });
  end = connection.end;
  gone.addEventListener('abort', onClose);
  if (gone.aborted) end();
  return { [Symbol.asyncIterator]: () => connection };
}
