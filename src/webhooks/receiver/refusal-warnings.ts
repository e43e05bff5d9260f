import { createWarnings } from '../../foundation/warnings.js';
import { diagnoseWebhook } from '../diagnose/diagnose.js';
import type { WebhookSecret } from '../verification/secret.js';
import { refusedSignature } from '../verification/verification-error.js';
import type { RefusalError } from './receiver-options.js';

/** A larger body is not diagnosed, because that takes thousands of hashes, and anyone can send a body. */
const largestDiagnosed = 64 * 1024;

/** Warns of refusals if there is no callback. Warns once per reason, so that a flood of requests does not flood the log. */
export class RefusalWarnings {
  readonly #warn = createWarnings('MessagingAutomationRefusal');

  warn({ reason, message }: RefusalError): void {
    // Refusals while draining are expected.
    if (reason !== 'draining') this.#warn(reason, () => refusal(reason, message));
  }

  /** Warns of a signature that does not match, with the findings of a diagnosis. */
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
