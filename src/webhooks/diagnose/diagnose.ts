import { fromBase64, fromUtf8, toHex, toLatin1 } from '../crypto/bytes.js';
import { hmacSha256 } from '../crypto/digests.js';
import { type RawBody, readRawBody } from '../verification/raw-body.js';
import { readSecrets, type WebhookSecret } from '../verification/secret.js';
import {
  faultOfSignature,
  isSameDigest,
  readSignature,
  type WebhookSignature,
} from '../verification/signature.js';
import { indexOfSigner } from '../verification/verify.js';
import { findingOf, type WebhookFault, type WebhookFinding } from './finding.js';
import { bodyVariants, keyVariants } from './variants.js';

/**
 * Why a delivery did not verify. For your logs: never send it to the sender.
 */
export interface WebhookDiagnosis {
  /** Whether the delivery verifies, as `verifyWebhook` returns. If so, there are no findings. */
  readonly verified: boolean;
  /**
   * The index of the secret that signed it, from zero, as it is or after every proven finding is undone. `undefined` if none did.
   */
  readonly secretIndex: number | undefined;
  /**
   * What went wrong. Either all findings are proven: if you correct all of them, the signature is right. Or no finding is proven, and
   * the most likely one is first. Empty only if the delivery verifies.
   */
  readonly findings: readonly WebhookFinding[];
  /** False if the body or the number of secrets was too large to try everything. */
  readonly complete: boolean;
}

/** Limits the work, because anyone can send a delivery that does not verify. */
const largestBody = 1024 * 1024;
const mostHashed = 32 * 1024 * 1024;
/** A hash of few bytes takes time, too, so it counts as one of this many. */
const leastHashed = 16 * 1024;

/**
 * Finds out why a delivery did not verify: the body was parsed and serialised again, the secret has a newline at its end or lacks its
 * prefix, the signature is base64, and similar mistakes. It tries the usual mistakes, first one at a time, then one of the body together
 * with one of the secret, and returns those that make the signature right.
 *
 * Use it while you set up a receiver, and in logs. **Never send a diagnosis to the sender**, and never treat a proven finding as a
 * verification. It contains no expected signature, no secret and no part of the body. It computes up to 2,000 hashes over 32 MiB in total,
 * thousands of times the cost of a verification: run it for a few refusals, not for all.
 *
 * @param rawBody - The body that you passed to `verifyWebhook`.
 * @param signature - The signature that you passed.
 * @param secret - The secret or secrets that you passed.
 * @returns The findings, with the most likely first.
 * @throws TypeError for the same mistakes as `verifyWebhook`.
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
  const signer = indexOfSigner(body, signature, secrets);
  if (signer >= 0) return { verified: true, secretIndex: signer, findings: [], complete: true };
  const digests = digestsIn(signature);
  const { match, complete } = search(body, digests, secrets);
  const faults = [formFaultOf(signature), ...(match?.faults ?? suspicions(body, digests, secrets))];
  return {
    verified: false,
    secretIndex: match?.secretIndex,
    findings: [...new Set(faults)].flatMap((fault) => (fault ? findingOf(fault, match !== undefined) : [])),
    complete,
  };
}

/** The largest part of a header that is analyzed, because anyone can send a header. */
const longestHeader = 4096;

const hexDigest = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const base64Digest = /(?<![\w+/-])[\w+/-]{43}=?(?![\w+/=-])/g;

/** The digests in a signature of any form: one in a well-formed signature. */
function digestsIn(signature: unknown): readonly string[] {
  const values = [signature].flat().filter((value) => typeof value === 'string');
  const text = values.join(',').slice(0, longestHeader);
  const inHex = text.match(hexDigest) ?? [];
  const inBase64 = (text.match(base64Digest) ?? []).map(fromBase64).filter((digest) => digest !== undefined);
  return [...inHex, ...inBase64.map(toHex)];
}

/** What is wrong with the form of a signature. */
function formFaultOf(signature: unknown): WebhookFault | undefined {
  if (readSignature(signature) !== undefined) return undefined;
  return faultOfSignature(signature) === 'missing_signature' ? 'signature_missing' : 'signature_malformed';
}

/** A key and a body that the sender may have used, and the faults that would explain them. */
interface Attempt {
  readonly secretIndex: number;
  readonly key: WebhookSecret;
  readonly body: string | Uint8Array;
  readonly faults: readonly WebhookFault[];
}

/** Returns the first attempt that makes the signature right. It has the fewest faults. */
function search(
  body: string | Uint8Array,
  digests: readonly string[],
  secrets: readonly WebhookSecret[],
): { readonly match?: Attempt; readonly complete: boolean } {
  if (digests.length === 0) return { complete: true };
  let hashed = 0;
  for (const attempt of attemptsAt(body, secrets)) {
    if (hashed > mostHashed) return { complete: false };
    hashed += Math.max(leastHashed, attempt.body.length);
    const digest = hmacSha256(attempt.key, attempt.body);
    if (digests.some((candidate) => isSameDigest(digest, candidate)))
      return { match: attempt, complete: true };
  }
  return { complete: body.length <= largestBody };
}

function* attemptsAt(body: string | Uint8Array, secrets: readonly WebhookSecret[]): Generator<Attempt> {
  const given = secrets.map((key, secretIndex) => ({ key, secretIndex, faults: [] }));
  const changed = secrets.flatMap((secret, secretIndex) =>
    keyVariants(secret).map(({ value, fault }) => ({ key: value, secretIndex, faults: [fault] })),
  );
  for (const key of [...given, ...changed]) yield { ...key, body };
  if (body.length > largestBody) return;
  for (const keys of [given, changed]) {
    for (const variant of bodyVariants(body)) {
      for (const key of keys) yield { ...key, body: variant.value, faults: [variant.fault, ...key.faults] };
    }
  }
}

/** The faults that the input looks like, if no explanation was proven. The likely ones come first. */
function suspicions(
  body: string | Uint8Array,
  digests: readonly string[],
  secrets: readonly WebhookSecret[],
): readonly (WebhookFault | undefined)[] {
  const ofSecrets = secrets.flatMap(keyVariants).map((variant) => variant.fault);
  // The scheme of another sender cannot be seen on a secret.
  const visible = ofSecrets.filter((seen) => seen !== 'signed_otherwise');
  // Another secret is possible only if the signature has a digest.
  return [suspicionOfBody(body), ...visible, digests.length > 0 ? 'unexplained' : undefined];
}

function suspicionOfBody(body: string | Uint8Array): WebhookFault | undefined {
  const text = typeof body === 'string' ? body : (fromUtf8(body) ?? toLatin1(body.subarray(0, 64)));
  if (text === '' || text === '[object Object]') return 'body_parsed';
  if (compressedStarts.some((start) => text.startsWith(start))) return 'body_compressed';
  return text.includes('\uFFFD') ? 'body_charset' : undefined;
}

/** The first characters of gzip, zlib, zstd, and gzip in base64. Decoders replace some of their bytes with U+FFFD. */
const compressedStarts: readonly string[] = [
  ...['\x1f\x8b', '\x1f\uFFFD', 'H4sI'],
  ...['x\x01', 'x^', 'x\x9C', 'x\xDA', 'x\uFFFD'],
  ...['(\xB5/\xFD', '(\uFFFD/\uFFFD'],
];
