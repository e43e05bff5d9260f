import type { Clock } from '../../foundation/clock.js';
import { createWarnings } from '../../foundation/warnings.js';
import { diagnoseWebhook } from '../diagnose/diagnose.js';
import type { WebhookFinding } from '../diagnose/finding.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { RefusalError } from './receiver-options.js';

/**
 * What is diagnosed without being asked for. A diagnosis takes thousands of hashes, and anyone can send a body: so it is small,
 * and only so many in an interval, in milliseconds.
 */
const diagnosed = { bytes: 4 * 1024, most: 10, interval: 60_000 };

/**
 * Warns of refusals if there is no callback. Warns once per cause, so that a flood of requests does not flood the log. A
 * signature that is wrong for no known reason is one cause, and each proven finding is another: so a request of a stranger
 * does not hide what a diagnosis proves later.
 */
export class RefusalWarnings {
  readonly #warn = createWarnings('MessagingAutomationRefusal');
  readonly #clock: Clock;
  readonly #explained = new WeakSet<RefusalError>();
  #interval = { began: Number.NEGATIVE_INFINITY, count: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  warn(error: RefusalError): void {
    const { reason, message } = error;
    // Refusals while draining are expected.
    if (reason === 'draining' || this.#explained.has(error)) return;
    this.#warn(reason, () => refusal(reason, message));
  }

  /** Warns of a signature that does not match, with the findings of a diagnosis. */
  explainMismatch(
    error: RefusalError,
    body: string | Uint8Array,
    signature: string,
    secrets: readonly WebhookSecret[],
  ): void {
    if (body.length > diagnosed.bytes || !this.#mayDiagnose()) return;
    this.#explained.add(error);
    const { reason } = error;
    const { findings } = diagnoseWebhook(body, signature, secrets);
    const proven = findings.filter((finding) => finding.proven).map(({ fault }) => fault);
    this.#warn([reason, ...proven].join(), () => refusal(reason, wordsOf(findings)));
  }

  #mayDiagnose(): boolean {
    const now = this.#clock.now();
    const passed = now - this.#interval.began;
    // A clock that was set back begins another interval.
    if (passed < 0 || passed >= diagnosed.interval) this.#interval = { began: now, count: 0 };
    this.#interval.count += 1;
    return this.#interval.count <= diagnosed.most;
  }
}

function wordsOf(findings: readonly WebhookFinding[]): string {
  const likeliest = findings.slice(0, 3).map(({ explanation, advice }) => `${explanation} ${advice}`);
  return ['The delivery has a signature that does not match.', ...likeliest].join(' ');
}

function refusal(reason: RefusalError['reason'], message: string): string {
  return (
    `A webhook request was refused (${reason}). ${message} ` +
    'This warning appears once per cause. Set onRefused to see each refusal.'
  );
}
