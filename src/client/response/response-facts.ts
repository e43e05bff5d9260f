import type { Redact } from '../../contract/redaction.js';
import type { Outcome } from '../errors/request-error.js';
import type { TransportResponse } from '../transport/transport.js';

/** Further statuses after which the request may have been carried out, in addition to 2xx and 5xx. */
const mayHaveActed: readonly number[] = [
  0, // a redirect whose status a browser hides
  302, // many applications use it for 303
  303, // the result of what was done is elsewhere
  408, // the server did not receive the whole request, and may have acted on a part of it
];

/** The outcome that an error after this response has, by its status. A success says `unknown`: what follows it may still fail the call. */
export function outcomeOf(status: number): Outcome {
  const succeeded = status >= 200 && status < 300;
  return succeeded || status >= 500 || mayHaveActed.includes(status) ? 'unknown' : 'rejected';
}

/** The service's id of the request, from one of the usual headers. */
export function requestIdOf(
  { headers }: Pick<TransportResponse, 'headers'>,
  redact: Redact,
): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  // Remove control characters, because messages and logs contain the id.
  return id ? redact(id.replace(/\p{Cc}/gu, '')).slice(0, 200) : undefined;
}
