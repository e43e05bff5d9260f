import { createWebhookReceiver, type WebhookReceiverOptions } from 'messaging-automation/webhooks';
import { secret } from '../../delivery-body.js';

/** A receiver that takes messages of any time, with what its hooks got and the texts that it handled. */
export function recordingReceiver<Request = unknown>(options: Partial<WebhookReceiverOptions<Request>> = {}) {
  const told: unknown[] = [];
  const handled: string[] = [];
  const tell = (error: unknown) => told.push(error);
  const receiver = createWebhookReceiver<Request>({
    secret,
    tolerance: false,
    onError: tell,
    onRefused: tell,
    ...options,
  }).on('message.received', ({ data }) => handled.push(data.body));
  return { receiver, told, handled };
}

/** A platform's context. As in Workers, `waitUntil` throws unless it is called on its owner. */
export class ExecutionContext {
  readonly #work: Promise<unknown>[] = [];
  readonly props = {};
  waitUntil(work: Promise<unknown>): void {
    this.#work.push(work);
  }
  passThroughOnException(): void {}
  get work() {
    return this.#work;
  }
}
