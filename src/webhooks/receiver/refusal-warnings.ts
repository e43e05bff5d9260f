import type { Clock } from '../../foundation/clock.js';
import { createWarnings } from '../../foundation/runtime.js';
import { diagnoseWebhook } from '../diagnose/diagnose.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { RefusalError } from './receiver-options.js';

/**
 * What is diagnosed without being asked for. A diagnosis takes thousands of hashes, and anyone can send a body: so it is small,
 * and only so many in an interval, in milliseconds.
 */
const diagnosed = { bytes: 4 * 1024, most: 10, interval: 60_000 };

/** The parts of a delivery whose signature does not match. */
export interface SignatureMismatch {
  readonly rawBody: Uint8Array;
  readonly signature: string;
  readonly secrets: WebhookSecret | readonly WebhookSecret[];
}

/**
 * Warns of refusals if there is no callback. Warns once per cause, so that a flood of requests does not flood the log. A
 * signature that is wrong for no known reason is one cause, and each proven finding is another: so a request of a stranger
 * does not hide what a diagnosis proves later.
 */
export function createRefusalWarnings(clock: Clock) {
  const warnOnce = createWarnings('MessagingAutomationRefusal');
  let interval = { began: Number.NEGATIVE_INFINITY, count: 0 };

  function mayDiagnose(): boolean {
    const now = clock.now();
    const passed = now - interval.began;
    // A clock that was set back begins another interval.
    if (passed < 0 || passed >= diagnosed.interval) interval = { began: now, count: 0 };
    interval.count += 1;
    return interval.count <= diagnosed.most;
  }

  /**
   * @param mismatch - What did not match, if the signature did not. It is diagnosed.
   * @param advice - What to do about a body that came as text.
   */
  return ({ reason, message }: RefusalError, mismatch?: SignatureMismatch, advice?: string): void => {
    // Refusals while draining are expected.
    if (reason === 'draining') return;
    const begin = `A webhook request was refused (${reason}).`;
    const end = 'This warning appears once per cause. Set onRefused to see each refusal.';
    const advised = (...words: string[]) => [begin, ...words, advice, end].filter(Boolean).join(' ');
    if (mismatch === undefined || mismatch.rawBody.length > diagnosed.bytes || !mayDiagnose()) {
      warnOnce(reason, advised(message));
      return;
    }
    const { findings } = diagnoseWebhook(mismatch.rawBody, mismatch.signature, mismatch.secrets);
    const proven = findings.filter((finding) => finding.proven).map(({ fault }) => fault);
    const likeliest = findings.slice(0, 3).map(({ explanation, advice }) => `${explanation} ${advice}`);
    const mismatched = 'The delivery has a signature that does not match.';
    warnOnce([reason, ...proven].join(), advised(mismatched, ...likeliest));
  };
}
