import type { Redact } from '../../contract/redaction.js';
import type { TransportResponse } from '../transport/transport.js';

/** The id under which the service knows the request, from the headers that carry one by custom. */
export function requestIdOf(
  { headers }: Pick<TransportResponse, 'headers'>,
  redact: Redact,
): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  // Without control characters, because it goes into messages and logs.
  return id ? redact(id.replace(/\p{Cc}/gu, '')).slice(0, 200) : undefined;
}
