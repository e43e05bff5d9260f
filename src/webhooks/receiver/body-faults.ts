import { UnreadableBodyError } from './errors.js';

/** The body is larger than the receiver's limit. */
export function tooLarge(limit: number): UnreadableBodyError {
  return new UnreadableBodyError(
    'too_large',
    `The body has more than ${limit} bytes, the most that this receiver takes. Raise maxBodyBytes if deliveries are that large.`,
  );
}

/** The signature is over the uncompressed bytes. Decompressing an unverified body would allow a decompression bomb. */
export function compressed(): UnreadableBodyError {
  return new UnreadableBodyError(
    'encoded',
    'The body is compressed (it has a Content-Encoding), which the service never does. ' +
      'If a proxy in front of the receiver compresses requests, turn that off.',
  );
}

/** The sender disconnected before the end of the body. */
export function aborted(): UnreadableBodyError {
  return new UnreadableBodyError('aborted', 'The sender disconnected before the end of the body.');
}

/** The body's stream failed: the framework has a limit of its own, and the stream has the error of its response; or else the sender left. */
export function failedStream(error: unknown): UnreadableBodyError {
  if (Reflect.get(Object(error), 'status') !== 413) return aborted();
  return new UnreadableBodyError(
    'too_large',
    "The framework refused the body as too large, by a limit of its own. In SvelteKit's adapter-node this is the environment " +
      'variable BODY_SIZE_LIMIT, 512 kB by default: raise it if deliveries are that large.',
  );
}

/** A refusal and not a failure, because the sender is not verified yet. Only verified senders may cause alarms. */
export function stalled(deadline: number): UnreadableBodyError {
  return new UnreadableBodyError(
    'stalled',
    `The body had not arrived ${deadline} ms after its headers. The sender, or something in between, is slow.`,
  );
}

/** The stream emits text. Several byte sequences decode into the same text, so the signed bytes are unknown. */
export function decoded(): UnreadableBodyError {
  return new UnreadableBodyError(
    'parsed',
    "The body's stream gives text, so something decoded it before the receiver saw its bytes. Hand the stream on as it came.",
  );
}

/** A middleware has read the body. */
export function consumed(fix: string): UnreadableBodyError {
  return new UnreadableBodyError('consumed', `The body was read before the receiver saw it. ${fix}`);
}

/** A middleware has parsed the body and kept no bytes. */
export function parsed(fix: string, what = 'The body was parsed before the receiver saw its bytes.') {
  return new UnreadableBodyError('parsed', `${what} ${fix}`);
}
