import type { Redact } from '../../contract/redaction.js';
import type { TransportResponse } from '../transport/transport.js';

/** The service's id of the request, from one of the usual headers. */
export function requestIdOf(
  { headers }: Pick<TransportResponse, 'headers'>,
  redact: Redact,
): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  // Remove control characters, because messages and logs contain the id.
  return id ? redact(id.replace(/\p{Cc}/gu, '')).slice(0, 200) : undefined;
}
