import { createWarnings } from '../../foundation/warnings.js';
import { diagnoseWebhook } from '../diagnose/diagnose.js';
import type { WebhookSecret } from '../verification/secret.js';
import { refusedSignature } from '../verification/verification-error.js';
import type { RefusalError } from './receiver-options.js';

/** A larger body is not diagnosed: that takes thousands of hashes, and the body may come from anybody. */
const largestDiagnosed = 64 * 1024;

/** Warns of refusals without a callback, once per reason, so that a wrong set-up shows and a flood does not. */
export class RefusalWarnings {
  readonly #warn = createWarnings('MessagingAutomationRefusal');

  warn({ reason, message }: RefusalError): void {
    // To refuse while draining is what drain() is for.
    if (reason !== 'draining') this.#warn(reason, () => refusal(reason, message));
  }

  /** Warns of a signature that does not match, with what can be found out about it. */
  explainMismatch(body: string | Uint8Array, signature: string, secrets: readonly WebhookSecret[]): void {
    const { reason, message } = refusedSignature(signature);
    this.#warn(reason, () =>
      refusal(reason, body.length > largestDiagnosed ? message : diagnosis(body, signature, secrets)),
    );
  }
}

function diagnosis(body: string | Uint8Array, signature: string, secrets: readonly WebhookSecret[]): string {
  const { findings } = diagnoseWebhook(body, signature, secrets);
  const told = findings.slice(0, 3).map(({ explanation, advice }) => `${explanation} ${advice}`);
  return ['The delivery has a signature that does not match.', ...told].join(' ');
}

function refusal(reason: RefusalError['reason'], message: string): string {
  return (
    `A webhook request was refused (${reason}). ${message} ` +
    'This warning appears once per reason. Set onRefused to see each refusal.'
  );
}
