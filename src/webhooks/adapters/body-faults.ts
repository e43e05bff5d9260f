import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';

/** The body is larger than the receiver's limit. */
export function tooLarge(limit: number): UnreadableBodyError {
  return new UnreadableBodyError(
    'too_large',
    `The body is larger than ${limit} bytes, the most that this receiver takes. Raise maxBodyBytes if deliveries are that large.`,
  );
}

/** The sender disconnected before the end of the body. */
export function aborted(): UnreadableBodyError {
  return new UnreadableBodyError('aborted', 'The sender broke off before the end of the body.');
}

/** The body's stream failed: the framework has a limit of its own, and the stream has the error of its answer; or else the sender left. */
export function failedStream(error: unknown): UnreadableBodyError {
  if (Reflect.get(Object(error), 'status') !== 413) return aborted();
  return new UnreadableBodyError(
    'too_large',
    "The framework refused the body as too large, by a limit of its own. In SvelteKit's adapter-node this is the environment " +
      'variable BODY_SIZE_LIMIT, 512 kB by default: raise it if deliveries are that large.',
  );
}

/** The stream emits text. Several byte sequences decode into the same text, so the signed bytes are unknown. */
export function decoded(): UnreadableBodyError {
  return new UnreadableBodyError(
    'parsed',
    "The body's stream gives text, so something decoded it before the receiver saw its bytes. Hand the stream on as it came.",
  );
}

/**
 * Rejects a compressed body, because the signature is over the uncompressed bytes. Decompressing an unverified body would allow
 * a decompression bomb.
 */
export function refuseEncoding(contentEncoding: string | null | undefined): void {
  if (!contentEncoding || contentEncoding.trim().toLowerCase() === 'identity') return;
  throw new UnreadableBodyError(
    'encoded',
    'The body is compressed (it has a Content-Encoding), which the service never does. ' +
      'If a proxy in front of the receiver compresses requests, turn that off.',
  );
}
