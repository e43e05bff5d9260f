import type { ReceiverFailure, WebhookReceiverOptions } from './receiver-options.js';

type ReportOptions<Request> = Pick<
  WebhookReceiverOptions<Request>,
  'onError' | 'onRefused' | 'onSlowHandler'
>;

/** Tells the user's hooks, whose own faults change nothing about the answer. */
export class Reports<Request> {
  readonly #options: ReportOptions<Request>;

  constructor(options: ReportOptions<Request>) {
    this.#options = options;
  }

  failed(error: unknown, failure: ReceiverFailure<Request>): void {
    const { onError = printError } = this.#options;
    tell(() => onError(error, failure));
  }

  refused(...told: Parameters<NonNullable<ReportOptions<Request>['onRefused']>>): void {
    tell(() => this.#options.onRefused?.(...told));
  }

  slow(...told: Parameters<NonNullable<ReportOptions<Request>['onSlowHandler']>>): void {
    tell(() => this.#options.onSlowHandler?.(...told));
  }
}

function tell(hook: () => unknown): void {
  // The promise takes what the hook throws as well as what it rejects with.
  new Promise((resolve) => resolve(hook())).catch(() => {});
}

function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: where nobody listens, a failure must still be seen.
  console.error(error);
}
