import type { RequestError } from '../errors/request-error.js';
import type { CallState, RequestSettings } from '../request/request.js';
import type { TransportResponse } from '../transport/transport.js';
import { absent, type Reading, readResponse } from './reading.js';

/** The context that determines the meaning of a response, besides the response itself. */
export interface ResponseContext<Result> extends Pick<RequestSettings, 'maxResponseBytes' | 'redact'> {
  /** What the call returns for a missing record. Without it, a missing record is a failure. */
  readonly whenMissing: { readonly value: Result } | undefined;
  /** The time of the response, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Interprets a response: the result of the call, or its error if this attempt is the last. It changes nothing. */
export async function interpret<Result>(
  call: CallState<Result>,
  whole: TransportResponse,
  { whenMissing, now, maxResponseBytes, redact }: ResponseContext<Result>,
): Promise<Reading<Result> | RequestError> {
  // A custom transport may exceed the limit. A character has at least one byte.
  const isTooLong = whole.body.length > maxResponseBytes;
  const response = isTooLong
    ? { ...whole, body: whole.body.slice(0, maxResponseBytes), truncated: true }
    : whole;
  const { status } = response;
  if (status >= 200 && status < 300) {
    const reading = readResponse(call.operation.result, response, maxResponseBytes);
    if (!('unusable' in reading)) return reading;
    const { errorOfUnusable } = await import('./failures.js');
    return errorOfUnusable(call, response, reading.unusable, redact);
  }
  // Most processes have few failures, and most programs that are bundled need not load this code at once.
  const { errorOfResponse, readErrorBody, subjectOf404 } = await import('./failures.js');
  // After a DELETE whose response was lost, the retry returns 404.
  const isGone = call.operation.method === 'DELETE' && call.outcome === 'unknown';
  if (status === 404 && (whenMissing || isGone)) {
    const missing = subjectOf404(response, readErrorBody(response, redact));
    if (missing !== 'address')
      return { ...absent<Result>(missing === 'unsaid' ? [vague] : []), ...whenMissing };
  }
  return errorOfResponse(call, response, now, redact);
}

const vague = {
  field: '',
  message:
    'does not say what is missing: the 404 counts as the response of the service, but the base URL may be wrong',
};

/** The status and the headers of a response. */
export type ResponseHead = {
  /** The HTTP status. */
  readonly status: number;
  /** The response headers, including those about rate limits. */
  readonly headers: Headers;
};

/** The result of a call together with its response. */
export interface WithResponse<Data> {
  /** The result of the call. */
  readonly data: Data;
  /** The status and the headers of the response. */
  readonly response: ResponseHead;
  /** The service's id of the request, from the response header `x-request-id`. */
  readonly requestId: string | undefined;
  /** How many requests the call made. */
  readonly attempts: number;
}
