import { isObject } from '../../foundation/is-object.js';
import { readSignature } from '../verification/signature.js';
import { ReceiverError } from './errors.js';
import type { WebhookContext, WebhookJob } from './receiver-options.js';

/** The job of a verified delivery. */
export function jobOf(context: WebhookContext, signature: string, key: string, now: number): WebhookJob {
  return {
    version: 1,
    // Some queues take no colon in an id.
    key: key.replace(':', '-'),
    // The bytes are verified as UTF-8. A byte order mark stays, because it was signed.
    body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(context.rawBody),
    signature,
    secretIndex: context.secretIndex,
    receivedAt: new Date(now).toISOString(),
  };
}

/**
 * Reads a job from a queue. Its signature is still to be verified.
 *
 * @throws ReceiverError if it is not a job of a receiver.
 */
export function readJob(job: unknown) {
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
  return { key, rawBody: new TextEncoder().encode(body), signature: digits };
}
