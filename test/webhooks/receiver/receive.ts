import {
  createWebhookReceiver,
  type DedupeStore,
  type ReceivedRequest,
  signatureHeader,
  signWebhook,
  type WebhookContext,
  type WebhookEvent,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { within, withResolvers } from '../../waiting.js';
import { messageData, messageDelivery, secret } from '../delivery-body.js';

export { secret } from '../delivery-body.js';

/** The time that the clock of these tests starts at. */
export const timestamp = new Date(new ManualClock().now()).toISOString();

export const message = { ...messageDelivery, timestamp, data: { ...messageData } };

/** A message of its own, by its id. */
export const messageOf = (messageId: string) => ({ ...message, data: { ...messageData, messageId } });

export const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/** A request as an adapter passes it, by default signed. */
export function requestOf(
  body: unknown,
  changes: Partial<ReceivedRequest<string>> = {},
): ReceivedRequest<string> {
  const bytes = bytesOf(body);
  return {
    method: 'POST',
    headers: { [signatureHeader.toLowerCase()]: signWebhook(bytes, secret) },
    readBody: async () => bytes,
    request: 'the request',
    ...changes,
  };
}

/** Lets everything run that waits for nothing but promises. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The result of a promise that needs nothing but other promises. Fails at once if something else is still needed. */
export async function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await settled();
  if (!isSettled) throw new Error(`${what} did not come, although nothing else is to happen before it.`);
  return promise;
}

/** A clock that lets everything run that waits for promises alone, before and after its time passes. */
class SettlingClock extends ManualClock {
  async passSettled(milliseconds: number): Promise<void> {
    await settled();
    this.pass(milliseconds);
    await settled();
  }
}

/** A receiver under a manual clock that writes down what its hooks get. */
export function receiverOf(options: Partial<WebhookReceiverOptions<string>> = {}) {
  const clock = new SettlingClock();
  const log: unknown[][] = [];
  const receiver: WebhookReceiver<string> = createWebhookReceiver<string>({
    secret,
    clock,
    onRefused: (error, request) => log.push(['refused', error, request]),
    onError: (error, failure) => log.push(['error', error, failure]),
    onSlowHandler: (event, context) => log.push(['slow', event, context]),
    ...options,
  });
  const status = (body: unknown, changes?: Partial<ReceivedRequest<string>>) => {
    const received = receiver.receive(requestOf(body, changes)).then((given) => given.status);
    const response = within('a response', received, () => `${clock.waiting} timers that wait`);
    response.catch(() => {}); // a test that does not await it is not disturbed
    return response;
  };
  /** The status of a delivery that takes this many milliseconds of the receiver's clock. */
  const statusAfter = async (wait: number, ...sent: Parameters<typeof status>) => {
    const response = status(...sent);
    await clock.passSettled(wait);
    return response;
  };
  return { clock, log, receiver, status, statusAfter };
}

/** A receiver with a handler of messages, which does nothing unless the test says so. */
export function handledBy(
  options?: Parameters<typeof receiverOf>[0],
  handle: (event: WebhookEvent, context: WebhookContext<string>) => unknown = () => {},
) {
  const parts = receiverOf(options);
  const handler = vi.fn(handle);
  parts.receiver.on('message.received', handler);
  return { ...parts, handler, context: () => handler.mock.calls[0]?.[1] };
}

/** A receiver whose handler ends when the test says so. */
export function slowReceiver(options?: Parameters<typeof receiverOf>[0]) {
  const handling = withResolvers();
  return { ...handledBy(options, () => handling.promise), handling };
}

/** A store of which some verbs do something else. */
export function storeWith(changes: Partial<DedupeStore>): DedupeStore {
  return {
    claim: async () => 'claimed',
    renew: async () => true,
    commit: async () => {},
    release: async () => {},
    ...changes,
  };
}

/** A store that writes down what it is asked. */
export function recordingStore(changes: Partial<DedupeStore> = {}) {
  const calls: string[] = [];
  const store = storeWith({
    claim: async (key, { lease }) => {
      calls.push(`claim ${key} ${lease}`);
      return 'claimed';
    },
    renew: async (key, { lease }) => {
      calls.push(`renew ${key} ${lease}`);
      return true;
    },
    commit: async (key, { ttl }) => void calls.push(`commit ${key} ${ttl}`),
    release: async (key) => void calls.push(`release ${key}`),
    ...changes,
  });
  return { calls, store };
}
