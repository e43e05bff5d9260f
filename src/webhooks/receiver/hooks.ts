import type { WebhookEvent } from '../../contract/delivery.js';
import { notify } from '../../foundation/notify.js';
import { acknowledged } from './answers.js';
import type { Delivery } from './delivery.js';
import type { DuplicateDelivery, RefusalError, WebhookReceiverOptions } from './receiver-options.js';
import type { RefusalWarnings } from './refusal-warnings.js';
import type { WebhookContext } from './webhook-handler.js';

type HookOptions<Request> = Pick<
  WebhookReceiverOptions<Request>,
  'onDuplicate' | 'onError' | 'onHandled' | 'onRefused' | 'onSlowHandler'
>;

/** Calls the user's hooks, and ignores their errors. */
export class Hooks<Request> {
  readonly #options: HookOptions<Request>;
  readonly #warnings: RefusalWarnings;

  constructor(options: HookOptions<Request>, warnings: RefusalWarnings) {
    this.#options = options;
    this.#warnings = warnings;
  }

  failed(error: unknown, { received, event, answer }: Delivery<Request>): void {
    const { onError = printError } = this.#options;
    const failure = { request: received.request, event, willBeRetried: answer !== acknowledged };
    notify(() => onError(error, failure));
  }

  refused(error: RefusalError, { received }: Delivery<Request>): void {
    const { onRefused } = this.#options;
    if (onRefused === undefined) this.#warnings.warn(error);
    else notify(() => onRefused(error, received.request));
  }

  slow(event: WebhookEvent, context: WebhookContext<Request>): void {
    const { onSlowHandler } = this.#options;
    if (onSlowHandler !== undefined) notify(() => onSlowHandler(event, context));
  }

  handled(event: WebhookEvent, context: WebhookContext<Request>): void {
    const { onHandled } = this.#options;
    if (onHandled !== undefined) notify(() => onHandled(event, context));
  }

  duplicate(event: WebhookEvent, duplicate: DuplicateDelivery<Request>): void {
    const { onDuplicate } = this.#options;
    if (onDuplicate !== undefined) notify(() => onDuplicate(event, duplicate));
  }
}

function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: without a hook, a failure must still be visible.
  console.error(error);
}
