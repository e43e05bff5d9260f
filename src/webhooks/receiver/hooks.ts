import type { WebhookEvent } from '../../contract/delivery.js';
import { acknowledged } from './answers.js';
import type { Delivery } from './delivery.js';
import type { RefusalError, WebhookReceiverOptions } from './receiver-options.js';
import type { WebhookContext } from './webhook-handler.js';

type HookOptions<Request> = Pick<WebhookReceiverOptions<Request>, 'onError' | 'onRefused' | 'onSlowHandler'>;

/** Calls the user's hooks. What they throw, or reject with, changes nothing. */
export class Hooks<Request> {
  readonly #options: HookOptions<Request>;

  constructor(options: HookOptions<Request>) {
    this.#options = options;
  }

  failed(error: unknown, { received, event, answer }: Delivery<Request>): void {
    const { onError = printError } = this.#options;
    const failure = { request: received.request, event, willBeRetried: answer !== acknowledged };
    call(() => onError(error, failure));
  }

  refused(error: RefusalError, { received }: Delivery<Request>): void {
    call(() => this.#options.onRefused?.(error, received.request));
  }

  slow(event: WebhookEvent, context: WebhookContext<Request>): void {
    call(() => this.#options.onSlowHandler?.(event, context));
  }
}

function call(hook: () => unknown): void {
  // The promise catches what the hook throws as well as what it rejects with.
  new Promise((resolve) => resolve(hook())).catch(() => {});
}

function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: where there is no hook, a failure must still be seen.
  console.error(error);
}
