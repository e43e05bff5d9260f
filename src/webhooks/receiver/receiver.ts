import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import { isLater } from '../../foundation/at-once.js';
import { checkOptionsOfCall, milliseconds } from '../../foundation/options.js';
import type { ReceivedRequest, ReceiverCore, ReceiverResponse } from './exchange.js';
import { IncomingDelivery } from './incoming-delivery.js';
import { JobOrigin, RequestOrigin } from './origin.js';
import { ReceiverParts } from './parts.js';
import type {
  AnyEventHandler,
  LastDelivery,
  WebhookEventOf,
  WebhookHandler,
  WebhookReceiverOptions,
} from './receiver-options.js';
import { letResponsesBeWritten } from './response-turns.js';
import { readSettings } from './settings.js';
import type { DrainOptions, UnfinishedDelivery } from './work-in-progress.js';

/**
 * Verifies deliveries, calls their handlers and decides the response. An adapter, such as `toNodeHandler`, converts it into a handler of
 * your framework.
 *
 * @typeParam Request - The framework's own request, which the handlers receive.
 */
export interface WebhookReceiver<Request = unknown> extends ReceiverCore<Request> {
  /**
   * Adds a handler for a type of event. Several handlers of a type run one after the other, in the order in which they were added. If
   * one fails, the later ones do not run, and the next attempt runs all of them again.
   *
   * The receiver acknowledges a delivery of a known type without a handler, and warns once per type, with the name
   * `MessagingAutomationUnhandledEvent`.
   *
   * @throws ConfigurationError for an unknown type, or a handler that is not a function.
   */
  on<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<WebhookEventOf<Type>, Request>): this;

  /**
   * Adds a handler for every event, including unknown types. It runs in order: after the handlers that were added before it, and before
   * those that were added later.
   *
   * @throws ConfigurationError for a handler that is not a function.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'messaging-automation/webhooks';
   *
   * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
   * receiver.onAny((event) => console.log(event.event, event.workspaceId));
   * ```
   */
  onAny(handler: AnyEventHandler<Request>): this;

  /**
   * Runs the handlers of a delivery that `enqueue` has put into a queue. Call it in the worker. It verifies the job again, except its
   * age, and runs the handlers once for each delivery, for as long as they take. While another worker has the delivery, it waits for one
   * `lease`, by which the claim of a dead worker ends.
   *
   * Rejects with what a handler throws, so that the queue retries the job by its own rules. Such an error does not go to `onError`.
   *
   * @param job What `enqueue` received. Further fields are ignored.
   * @param request What the handlers get as `context.request`, and what a function `secret` gets. Default: `undefined`.
   * @throws ReceiverError if the value is not a job, or another worker keeps the delivery. WebhookVerificationError if no secret of this
   *   receiver signed it. The dedupe store's error if it fails for a lease.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver, type WebhookJob } from 'messaging-automation/webhooks';
   *
   * const queue: WebhookJob[] = []; // BullMQ, graphile-worker, SQS, …
   * const receiver = createWebhookReceiver({ secret: 'whsec_example', enqueue: (job) => queue.push(job) });
   * receiver.on('message.received', (event) => console.log(event.data.body));
   *
   * // In the worker:
   * for (const job of queue) await receiver.process(job);
   * ```
   */
  process(job: unknown, request?: Request): Promise<void>;

  /**
   * The last delivery that this receiver verified, in `receive` or `process`. `undefined` before the first one. A receiver that gets no
   * deliveries reports no failure: compare `at` with the time.
   */
  readonly lastDelivery: LastDelivery | undefined;

  /**
   * Prepares for the end of the process. From now on the receiver responds to each new request with 503 and `Retry-After`, so that the
   * service sends it again, to another process. Resolves when all work in progress is done, including handlers that continue after
   * their response and those of `process`, and the responses are written; or at the timeout. A framework that takes a `Response` does not say when it has written
   * it, and gets ten turns of the event loop. `drain` cannot be undone. A second call waits again.
   *
   * @returns The unfinished deliveries. Empty if all work is done.
   * @throws ConfigurationError for a timeout that is not a number of milliseconds.
   *
   * @example
   * ```ts
   * import { createServer } from 'node:http';
   * import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
   *
   * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
   * const server = createServer(toNodeHandler(receiver));
   *
   * process.once('SIGTERM', async () => {
   *   const unfinished = await receiver.drain({ timeout: 8_000 });
   *   if (unfinished.length > 0) console.error(`${unfinished.length} deliveries were not finished`);
   *   server.close();
   * });
   * ```
   */
  drain(options?: DrainOptions): Promise<readonly UnfinishedDelivery<Request>[]>;
}

/**
 * Creates a receiver of webhook deliveries. It responds with 2xx only to verified deliveries.
 *
 * Before it reads the body, it checks the method, the form of the signature, and the compression and length in the headers. Then it
 * checks the size, the signature, UTF-8, JSON, the age, the workspace and the dedupe store, and runs the handlers. Its responses consist of
 * a status only:
 *
 * | status | cause |
 * |---|---|
 * | 204 | verified, and handled now or earlier, or no handler exists for its type |
 * | 400 | correctly signed, but not usable: not UTF-8, not JSON, another shape or workspace, too old or too new; or the sender disconnected |
 * | 401 | the signature is wrong, or the subscription is unknown |
 * | 405, 413, 415 | not a POST; too large; compressed |
 * | 500 | a handler, the secret or the setup failed. The receiver calls `onError` |
 * | 503 | another attempt is handling the delivery; the dedupe store is down, or `enqueue` failed, and the receiver calls `onError`; the deadline passed; too many deliveries; or after `drain()` |
 *
 * The service sends a delivery again after any other response than a 2xx.
 *
 * @typeParam Request - The framework's own request, which the handlers receive.
 * @throws ConfigurationError for an invalid option.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, signatureHeader, signWebhook } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receiver = createWebhookReceiver<Request>({ secret });
 * receiver.on('contact.opted_out', (event) => console.log('opted out:', event.data.contactId));
 *
 * // What an adapter does:
 * const receive = async (request: Request): Promise<Response> => {
 *   const { method, headers } = request;
 *   const readBody = async () => new Uint8Array(await request.arrayBuffer());
 *   const response = await receiver.receive({ method, headers, readBody, request });
 *   return new Response(response.body || null, { status: response.status, headers: response.headers });
 * };
 *
 * const body = JSON.stringify({
 *   event: 'contact.opted_out',
 *   workspaceId: 'workspace_1',
 *   timestamp: new Date().toISOString(),
 *   data: { contactId: 'contact_1' },
 * });
 * const headers = { [signatureHeader]: signWebhook(body, secret) };
 * const response = await receive(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(response.status); // 204
 * ```
 */
export function createWebhookReceiver<Request = unknown>(
  options: WebhookReceiverOptions<Request>,
): WebhookReceiver<Request> {
  const parts = new ReceiverParts<Request>(readSettings(options));
  const receiver: WebhookReceiver<Request> = {
    on(type, handler) {
      parts.handlers.add(type, handler);
      return receiver;
    },

    onAny(handler) {
      parts.handlers.addToAll(handler);
      return receiver;
    },

    receive: (received) => receive(received, parts),

    async process(job, request) {
      // A receiver whose handlers read the request passes one to `process`.
      const origin = new JobOrigin(job, request as Request, parts);
      await new IncomingDelivery(origin, parts).takeThroughSteps();
      if (origin.failures.length > 0) throw origin.failures[0];
    },

    get lastDelivery() {
      return parts.notes.last();
    },

    async drain(draining = {}) {
      checkOptionsOfCall('drain', draining, { timeout: milliseconds(0) });
      parts.isDraining = true;
      parts.inProgress.giveUpWaiting();
      const unfinished = await parts.inProgress.settle(parts.waits, draining.timeout ?? 8_000);
      await letResponsesBeWritten();
      return unfinished;
    },
  };
  return receiver;
}

async function receive<Request>(
  received: ReceivedRequest<Request>,
  parts: ReceiverParts<Request>,
): Promise<ReceiverResponse> {
  const { inProgress } = parts;
  const delivery = new IncomingDelivery(new RequestOrigin(received, parts), parts);
  inProgress.beginResponding(delivery);
  const work = delivery.takeThroughSteps();
  const inTime = delivery.respondInTime();
  const response = isLater(inTime) ? await inTime : inTime;
  if (delivery.isEarly) keepPlatformUp(work, delivery, received, parts);
  const written = () => inProgress.endResponding(delivery);
  if (received.onWritten === undefined) written();
  else received.onWritten(written);
  if (!parts.isDraining) return response;
  // Asks the sender to close the connection, so that its next delivery reaches another process.
  return { ...response, headers: { ...response.headers, Connection: 'close' } };
}

/** Keeps the platform from ending the process before the work is done. */
function keepPlatformUp<Request>(
  work: Promise<void>,
  delivery: IncomingDelivery<Request>,
  received: ReceivedRequest<Request>,
  { settings }: ReceiverParts<Request>,
): void {
  try {
    if (settings.waitUntil !== undefined) settings.waitUntil(work, received.request);
    else received.waitUntil?.(work);
  } catch (error) {
    delivery.report(error);
  }
}
