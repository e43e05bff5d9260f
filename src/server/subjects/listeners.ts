import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { CreatedWebhookSubscription } from '../../contract/subscription.js';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { aSignal, checkOptionsOfCall } from '../../foundation/options.js';
import { toLatin1 } from '../../webhooks/crypto/bytes.js';
import { responseLimit } from '../model/journal-entry.js';
import type {
  ListenerAttempt,
  ListenerOccurrence,
  ListenerOutcome,
  ListenerResponse,
} from '../model/listener.js';
import { ServiceError } from '../model/service-error.js';
import { problemWithUrl } from '../service/address-policy.js';
import { secretSchema } from '../service/subscriptions.js';
import type { Feed, Reader } from '../time/feed.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { eventText, idleAfter } from './event-stream.js';
import { operation, stream } from './operation.js';
import type * as Shapes from './shapes.js';
import { subscriptionNow } from './subscriptions.js';
import { WaitEndedError } from './wait.js';

/**
 * A listener: a program that connects to the server to receive deliveries.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type ListenerSeed } from 'messaging-automation/server';
 *
 * const seed: ListenerSeed = { url: 'http://localhost:3000/webhooks', events: ['message.received'] };
 * await using server = createReferenceServer();
 * const listener = await server.listeners.create(seed);
 * console.log(listener.url); // listen:http://localhost:3000/webhooks
 * ```
 */
export interface ListenerSeed {
  /** The URL to which the listener forwards the deliveries. The server only shows it and never connects to it. */
  readonly url: string;
  /** The event types, at least one. Default: all. */
  readonly events?: readonly WebhookEventType[] | undefined;
  /** The signing secret. It begins with `whsec_`. Default: a generated secret. */
  readonly secret?: string | undefined;
}

const listenerSchema: Schema<ListenerSeed> = z.lazy(() =>
  z.strictObject({
    // Any address is valid, because the server never connects to it.
    url: z.string().check((checking) => {
      const problem = problemWithUrl(checking.value, 'any');
      if (problem === undefined) return;
      checking.issues.push({ code: 'custom', input: checking.value, message: problem });
    }),
    events: z.optional(z.array(z.enum(webhookEventTypes)).check(z.minLength(1))),
    secret: z.optional(secretSchema),
  }),
);

const atMost = (length: number) =>
  z.string().check(z.maxLength(length, `must have at most ${length} characters`));

const responseSchema: Schema<ListenerResponse> = z.lazy(() =>
  z.union([
    z.strictObject({
      status: z.int().check(z.gte(100), z.lte(999)),
      responseBody: z.optional(atMost(responseLimit)),
      date: z.optional(atMost(100)),
    }),
    z.strictObject({ error: atMost(1_000).check(z.minLength(1)) }),
  ]),
);

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
 *   await server.listeners.respond(listener.id, attemptId, { status: 204 });
 *   break;
 * }
 * ```
 */
export type WorkspaceListeners = {
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
   * @throws ConfigurationError if the response is invalid; Error if no listener has the id, or it had no such attempt.
   */
  respond(listenerId: string, attemptId: string, response: ListenerResponse): Promise<ListenerOutcome>;
  /** Removes a listener and its subscription, and cancels its pending deliveries. False if no listener has the id. */
  remove(listenerId: string): Promise<boolean>;
};

export function listenersOf(live: LiveWorkspace): WorkspaceListeners {
  const { listeners } = live;
  return {
    async create(listener) {
      const { events = webhookEventTypes, ...seed } = checked(listenerSchema, 'The listener', listener);
      const wanted = { ...seed, events };
      return change(live, { operation: 'listeners.create', given: [wanted], idOf: ({ id }) => id }, () =>
        listeners.add(() => live.services.subscriptions.listen(wanted)),
      );
    },
    async *attempts(listenerId, options = {}) {
      checkOptionsOfCall('attempts', options, { signal: aSignal });
      const { signal = new AbortController().signal } = options;
      const occurrences = await run(live, () => listen(live, listenerId, { gone: signal }));
      for await (const occurrence of occurrences) {
        if (occurrence?.kind === 'attempt') yield occurrence.attempt;
      }
    },
    async respond(listenerId, attemptId, given) {
      const response = checked(responseSchema, 'The response', given);
      const outcome = await run(live, () => listeners.get(listenerId).respond(attemptId, response));
      if (outcome !== undefined) return outcome;
      throw new ServiceError(
        'not_found',
        'The listener had no attempt with this id since the server started.',
      );
    },
    remove: (listenerId) =>
      change(
        live,
        {
          operation: 'listeners.remove',
          given: [listenerId],
          before: () => subscriptionNow(live, listenerId),
        },
        () => listeners.remove(listenerId),
      ),
  };
}

/**
 * Connects a listener.
 *
 * @throws At the call: ServiceError if no listener has the id; RateLimitedError if too many followers and waits are active;
 *   WaitEndedError if the workspace closes.
 */
function listen(
  { listeners, waits, life }: LiveWorkspace,
  listenerId: string,
  reader: Reader,
): Feed<ListenerOccurrence> {
  const listener = listeners.get(listenerId);
  if (life.isStopped) {
    throw new WaitEndedError('The workspace is closed or about to close. It makes no more deliveries.');
  }
  // First, because it may refuse.
  const leave = waits.begin(() => feed.end());
  const feed = listener.connect(reader);
  feed.whenOver(leave);
  return feed;
}

function attemptText(occurrence: ListenerOccurrence): string {
  switch (occurrence.kind) {
    case 'attempt': {
      const { body, ...others } = occurrence.attempt;
      return eventText('attempt', { ...others, body: btoa(toLatin1(body)) });
    }
    case 'ended': {
      const { attemptId, error } = occurrence;
      return eventText('ended', { attemptId, error });
    }
    case 'removed':
      return eventText('removed', {});
  }
}

export const listenersOperations = ({ waits, managedWebhookResponseSchema }: typeof Shapes) => ({
  create: operation('listeners.create', 'POST', '/control/listeners', {
    summary:
      'Creates a listener: a managed subscription whose deliveries a program gets as a stream. The server never connects to its URL.',
    body: listenerSchema,
    status: 201,
    result: managedWebhookResponseSchema,
    refusals: { 429: 'This workspace already has the largest number of listeners.' },
    rule: (live, { body }) => listenersOf(live).create(body),
  }),
  attempts: stream('listeners.attempts', '/control/listeners/:id/attempts', {
    summary:
      'Streams the delivery attempts of a listener as server-sent events: first the waiting ones, then each new one.',
    refusals: { 404: 'No listener has this id.', 429: waits[429], 503: 'The workspace is about to close.' },
    open: (live, { path: { id }, request }) => ({
      // Less than the timeout of an attempt.
      reconnectAfter: 100,
      occurrences: listen(live, id, { gone: request.gone, idleAfter }),
      start: eventText('start', { workspaceId: live.id, listenerId: id }),
      textOf: attemptText,
    }),
  }),
  respond: operation('listeners.respond', 'POST', '/control/listeners/:id/attempts/:attempt', {
    summary:
      "Reports the receiver's response to an attempt, or why there is none. Only the first report counts.",
    body: responseSchema,
    result: z.strictObject({ outcome: z.enum(['recorded', 'too_late']) }),
    refusals: { 404: 'No listener has this id, or it had no such attempt.' },
    rule: async (live, { path, body }) => ({
      outcome: await listenersOf(live).respond(path.id, path.attempt, body),
    }),
  }),
  remove: operation('listeners.remove', 'DELETE', '/control/listeners/:id', {
    summary:
      'Removes a listener with its subscription. A listener without a connection is removed after a minute.',
    refusals: { 404: 'No listener has this id.' },
    rule: (live, { path }) => listenersOf(live).remove(path.id),
  }),
});
