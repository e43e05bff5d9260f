import { hmacSha256 } from '../crypto/hmac.js';
import { type RawBody, readRawBody } from '../verification/raw-body.js';
import { readSecrets, type WebhookSecret } from '../verification/secret.js';
import { isSameDigest, type WebhookSignature } from '../verification/signature.js';
import { bodyVariants } from './body-variants.js';
import { findingOf, type WebhookFault, type WebhookFinding } from './finding.js';
import { keyVariants } from './key-variants.js';
import { readingsOf, timeIn } from './signature-readings.js';
import { suspicions } from './suspicions.js';

/**
 * Why a delivery did not verify, as far as that can be told. For your logs; nothing of it may reach the sender.
 *
 * @example
 * ```ts
 * import type { WebhookDiagnosis } from 'messaging-automation/webhooks';
 *
 * const report = ({ findings }: WebhookDiagnosis) =>
 *   console.error(findings.map(({ explanation, advice }) => `${explanation} ${advice}`).join('\n'));
 * ```
 */
export interface WebhookDiagnosis {
  /** Whether the delivery verifies as it is, as `verifyWebhook` says. Then there are no findings. */
  readonly verified: boolean;
  /**
   * Which of the secrets signed it, counted from zero: the one that matches, by itself or once every proven finding is
   * undone. `undefined` where none does.
   */
  readonly secretIndex: number | undefined;
  /**
   * What went wrong. Either all are proven, and undoing all of them makes the signature right; or none is, and the
   * likeliest comes first. Empty only when the delivery verifies.
   */
  readonly findings: readonly WebhookFinding[];
  /** False where the body or the number of secrets was too large for everything to be tried. */
  readonly complete: boolean;
}

/** The work is bounded: a delivery that does not verify may come from anybody. */
const largestBody = 1024 * 1024;
const mostAttempts = 2000;
const mostHashed = 32 * 1024 * 1024;

/**
 * Tells why a delivery did not verify: the body was parsed and written anew, the secret has a newline at its end or
 * lacks its prefix, the signature is base64, and the like (document §6). It tries the usual accidents, one at a time
 * and then a body's together with a secret's, and says which of them makes the signature right.
 *
 * It is for whoever sets a receiver up, and for logs. **Nothing of a diagnosis may reach the sender**, and a proven
 * finding is no verification: never handle a delivery for it. It holds neither the expected signature nor the secret
 * nor anything of the body. It takes up to 2000 hashes over 32 MiB in all, thousands of times what verifying takes, so
 * keep it out of a busy receiver's way: run it on some refusals, not on all.
 *
 * @param rawBody - What was given to `verifyWebhook` as the body.
 * @param signature - What was given as the signature.
 * @param secret - What was given as the secret or secrets.
 * @returns The findings, the likeliest first.
 * @throws TypeError for the programmer's errors that `verifyWebhook` names.
 *
 * @example
 * ```ts
 * import { diagnoseWebhook, signWebhook } from 'messaging-automation/webhooks';
 *
 * const sent = '{"event":"message.received", "data":{}}';
 * const signature = signWebhook(sent, 'whsec_example');
 * const writtenAnew = JSON.stringify(JSON.parse('{"event":"message.received","data":{}}'), undefined, 2);
 *
 * const { findings } = diagnoseWebhook(writtenAnew, signature, 'whsec_example\n');
 * for (const { fault, proven, advice } of findings) console.error(fault, proven, advice);
 * ```
 */
export function diagnoseWebhook(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
): WebhookDiagnosis {
  const body = readRawBody(rawBody);
  const secrets = readSecrets(secret);
  const { match, complete } = search(body, signature, secrets);
  const faults = match?.faults ?? suspicions(body, signature, secrets);
  return {
    verified: match?.faults.length === 0,
    secretIndex: match?.secretIndex,
    findings: faults.map((fault) => findingOf(fault, match !== undefined)),
    complete,
  };
}

/** A key and a body that may be what was signed, and the faults that this would take. */
interface Attempt {
  readonly secretIndex: number;
  readonly key: WebhookSecret;
  readonly body: string | Uint8Array;
  readonly faults: readonly WebhookFault[];
}

interface SearchResult {
  readonly match?: Pick<Attempt, 'secretIndex' | 'faults'>;
  readonly complete: boolean;
}

/** The attempt that makes the signature right with the fewest faults, which the first one found is. */
function search(
  body: string | Uint8Array,
  signature: unknown,
  secrets: readonly WebhookSecret[],
): SearchResult {
  const readings = readingsOf(signature);
  if (readings.length === 0) return { complete: true };
  let attempts = 0;
  let hashed = 0;
  for (const { secretIndex, key, body: tried, faults } of attemptsAt(body, signature, secrets)) {
    attempts += 1;
    hashed += tried.length;
    const plain = faults.length === 0;
    if (!plain && (attempts > mostAttempts || hashed > mostHashed)) return { complete: false };
    const digest = hmacSha256(key, tried);
    const reading = readings.find((candidate) => isSameDigest(digest, candidate.digest));
    if (reading === undefined) continue;
    const all = reading.fault === undefined ? faults : [reading.fault, ...faults];
    return { match: { secretIndex, faults: all }, complete: true };
  }
  return { complete: body.length <= largestBody };
}

function* attemptsAt(
  body: string | Uint8Array,
  signature: unknown,
  secrets: readonly WebhookSecret[],
): Generator<Attempt> {
  const given = secrets.map((key, secretIndex) => ({ key, secretIndex, faults: [] }));
  const changed = secrets.flatMap((secret, secretIndex) =>
    keyVariants(secret).map(({ key, fault }) => ({ key, secretIndex, faults: [fault] })),
  );
  for (const key of given) yield { ...key, body };
  for (const key of changed) yield { ...key, body };
  if (body.length > largestBody) return;
  for (const keys of [given, changed]) {
    for (const variant of bodyVariants(body, timeIn(signature))) {
      for (const key of keys) yield { ...key, body: variant.body, faults: [variant.fault, ...key.faults] };
    }
  }
}
