import { rawBodyAdvice } from '../verification/raw-body.js';

/**
 * A fault between the signing by the service and your verification.
 *
 * - `signature_…`: you did not pass the header as it was sent.
 * - `body_…`: you did not hash the bytes that were sent.
 * - `secret_…`: the key is not the subscription's whole secret.
 * - `signed_otherwise`: the sender uses another signature scheme than the service.
 * - `unexplained`: none of these.
 */
export type WebhookFault = keyof typeof texts;

/**
 * One explanation of a delivery that did not verify. It contains no secret, no signature and no part of the body. Nevertheless,
 * only log it, and never send it to the sender.
 */
export interface WebhookFinding {
  /** The fault, for code. */
  readonly fault: WebhookFault;
  /**
   * True if the signature becomes right when this and every other proven finding is corrected. False if the input only looks like
   * this fault.
   */
  readonly proven: boolean;
  /** What went wrong, as a sentence. */
  readonly explanation: string;
  /** What to do about it. */
  readonly advice: string;
}

/** The finding of a fault. */
export function findingOf(fault: WebhookFault, proven: boolean): WebhookFinding {
  const [explanation, advice] = texts[fault];
  return { fault, proven, explanation, advice };
}

const fixSetting = 'Correct the setting that contains the secret, for example an environment variable.';

const texts = {
  signature_missing: [
    'There is no signature.',
    'Read the header X-Service-Signature, lowercase where headers are a plain object, and see that no proxy drops it.',
  ],
  signature_malformed: [
    'The signature is not 64 hex digits alone: it has other text around it, such as "sha256=" or quotes, or is base64, ' +
      'several values, cut short, or a secret.',
    'Pass the value of X-Service-Signature exactly as it was received: body, signature and secret in this order. See that no ' +
      'other header is read, and that no proxy repeats it.',
  ],
  body_parsed: [
    'The body is empty, or the text "[object Object]": a parser has taken it.',
    `A delivery is never empty. ${rawBodyAdvice}`,
  ],
  body_compressed: [
    'The body is compressed. The signed body is not.',
    'Something in between, for example a proxy, compresses requests. Disable that, or decompress before verifying.',
  ],
  body_base64: [
    'The body is base64 of what was signed.',
    "In AWS Lambda decode it where isBase64Encoded is set: Buffer.from(event.body, 'base64').",
  ],
  body_rewritten: [
    'The body is JSON that was parsed and serialized again, with other bytes than those signed.',
    rawBodyAdvice,
  ],
  body_white_space: [
    'White space at the ends of the body, its line ends or its byte order mark were changed.',
    'Look for a trim(), a newline added by a file or a shell, a proxy that rewrites line ends, and Request.text(), which ' +
      `leaves the mark out. ${rawBodyAdvice}`,
  ],
  body_charset: [
    'The body was decoded or encoded as Latin-1, or in pieces, but it is UTF-8.',
    'Take the bytes, or decode them as UTF-8. Join chunks as bytes: Buffer.concat(chunks), not text += chunk.',
  ],
  secret_white_space: ['There is white space, or an invisible character, around the secret.', fixSetting],
  secret_quoted: [
    'There are quotes or other text around the secret, such as the name of its setting or a second prefix.',
    fixSetting,
  ],
  secret_prefix_missing: [
    'The secret lacks its prefix.',
    'Give the whole secret, "whsec_" included: the prefix is part of the key.',
  ],
  secret_encoded: [
    'The secret was given in base64, as Kubernetes keeps secrets.',
    'Decode it, or mount it so that it is decoded: the key is the text that the service returned.',
  ],
  signed_otherwise: [
    'The signature was made with the secret decoded or without its prefix, as the Standard Webhooks scheme does.',
    'The service does not sign like this. Check that the sender is the service, and not another product or your own test.',
  ],
  unexplained: [
    'The signature was made over other bytes or with another secret.',
    'Each subscription has its own secret: check that this one belongs to this URL and was not replaced since. ' +
      'If so, see that nothing reads or rewrites the body first, and that body and signature are of one delivery. ' +
      `${rawBodyAdvice} If that holds too, the delivery may be forged.`,
  ],
} satisfies Readonly<Record<string, readonly [explanation: string, advice: string]>>;
