import { UnreadableBodyError } from './errors.js';

/** The body is larger than the receiver's limit. */
export function tooLarge(limit: number): UnreadableBodyError {
  return new UnreadableBodyError(
    'too_large',
    `The body has more than ${limit} bytes, the most that this receiver takes. Raise maxBodyBytes if deliveries are that large.`,
  );
}

/** The sender disconnected before the end of the body. */
export function aborted(): UnreadableBodyError {
  return new UnreadableBodyError('aborted', 'The sender disconnected before the end of the body.');
}

/** A middleware has read the body. */
export function consumed(fix: string): UnreadableBodyError {
  return new UnreadableBodyError('consumed', `The body was read before the receiver saw it. ${fix}`);
}

/** A middleware has parsed the body and kept no bytes. */
export function parsed(fix: string, what = 'The body was parsed before the receiver saw its bytes.') {
  return new UnreadableBodyError('parsed', `${what} ${fix}`);
}
