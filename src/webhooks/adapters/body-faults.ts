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
