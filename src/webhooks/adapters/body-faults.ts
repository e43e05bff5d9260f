import { UnreadableBodyError } from '../receiver/unreadable-body-error.js';

/** A body of more bytes than the receiver takes. */
export function tooLarge(limit: number): UnreadableBodyError {
  return new UnreadableBodyError(
    'too_large',
    `The body is larger than ${limit} bytes, the most that this receiver takes. Raise maxBodyBytes if deliveries are that large.`,
  );
}

/** A body whose sender broke off before its end. */
export function aborted(): UnreadableBodyError {
  return new UnreadableBodyError('aborted', 'The sender broke off before the end of the body.');
}

/** A body whose stream gives text: several byte sequences decode into one text, so it does not say what was signed. */
export function decoded(): UnreadableBodyError {
  return new UnreadableBodyError(
    'parsed',
    "The body's stream gives text, so something decoded it before the receiver saw its bytes. Hand the stream on as it came.",
  );
}

/**
 * Refuses a compressed body: what was signed is not what arrived, and unpacking for a sender who has not been
 * verified is an invitation to send a bomb.
 */
export function refuseEncoding(contentEncoding: string | null | undefined): void {
  if (!contentEncoding || contentEncoding.trim().toLowerCase() === 'identity') return;
  throw new UnreadableBodyError(
    'encoded',
    'The body is compressed (it has a Content-Encoding), which the service never does. ' +
      'If a proxy in front of the receiver compresses requests, turn that off.',
  );
}
