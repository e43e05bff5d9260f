import { isObject } from '../../foundation/is-object.js';
import { readSignature } from '../verification/signature.js';
import { ReceiverError, tooLarge } from './errors.js';
import type { WebhookContext, WebhookJob } from './receiver-options.js';
import type { SignedBytes } from './verify-delivery.js';

/** The job of a verified delivery. */
export function jobOf(
  context: WebhookContext,
  {
    signature,
    group,
    now,
  }: { readonly signature: string; readonly group: string | undefined; readonly now: number },
): WebhookJob {
  return {
    version: 1,
    key: context.key,
    ...(group !== undefined && { group }),
    // The bytes are verified as UTF-8. A byte order mark stays, because it was signed.
    body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(context.rawBody),
    signature,
    secretIndex: context.secretIndex,
    receivedAt: new Date(now).toISOString(),
  };
}

/**
 * Reads a job from a queue. Its signature is still to be verified. Its key is not trusted: it is computed from what was signed.
 *
 * @throws ReceiverError if it is not a job of a receiver. UnreadableBodyError if its body is too large.
 */
export function readJob(job: unknown, maxBodyBytes: number): SignedBytes {
  const { version, key, body, signature } = isObject(job) ? job : {};
  const digits = readSignature(signature);
  const isKey = typeof key === 'string' && /^[\w-]{1,80}$/.test(key);
  if (version !== 1 || !isKey || typeof body !== 'string' || digits === undefined) {
    throw new ReceiverError(
      'invalid_job',
      'process() got a value that is not a job of a receiver, or one of another version of messaging-automation. Pass it what ' +
        'enqueue received, as an object.',
    );
  }
  // A character takes one byte or more.
  if (body.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const rawBody = new TextEncoder().encode(body);
  if (rawBody.byteLength > maxBodyBytes) throw tooLarge(maxBodyBytes);
  return { rawBody, signature: digits };
}
