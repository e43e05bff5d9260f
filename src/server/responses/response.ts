import { errorStatuses } from '../../contract/error.js';
import type { ErrorBody } from '../../contract/error-body.js';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import type { RequestFault } from '../model/fault.js';
import {
  RateLimitedError,
  type ServiceError,
  StoreUnavailableError,
  UnknownIdError,
} from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { HeldRequests } from '../time/work.js';

/** A response before it is sent: plain data, which the journal can store. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that is not text, instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /**
   * Sends half of the body and then stalls until the client disconnects or the workspace closes. Sends nothing at all of a
   * response without a body, because its headers would complete it.
   */
  readonly stalledBy?: HeldRequests;
  /** A streamed body: each piece is sent when it is available, until they end or the client disconnects. */
  readonly pieces?: AsyncIterable<string>;
  /** The error, if the request was rejected. */
  readonly refusal?: ServiceError;
  /** The injected faults, if any. */
  readonly faults?: readonly RequestFault[];
}

/** The outcome of a request whose connection a fault breaks instead of responding. */
export interface BrokenConnection {
  readonly status: 'reset';
  /** The injected faults, if any. */
  readonly faults?: readonly RequestFault[];
}

/** The result of a request. */
export type Reply = HttpResponse | BrokenConnection;

/** Returns the response of a successful operation. The contract defines its status and body, `specGaps` the details. */
export function successResponse<Request extends OperationRequest, Result, Outcome extends string>(
  { name, result: shape, successes, notShown }: Operation<Request, Result, Outcome>,
  outcome: Outcome,
  result: Result,
  { listBody, contactBody, updateResponse }: SpecGaps,
): HttpResponse {
  const status = successes[outcome];
  switch (shape.kind) {
    case 'nothing':
      return { status, headers: {} };
    case 'list': {
      const [resource = ''] = name.split('.');
      const envelope = listBody === 'named' ? resource : shape.envelopes[0];
      return jsonResponse(status, listBody === 'array' ? result : { [envelope]: result });
    }
    case 'record': {
      if (shape.mayBeAbsent && updateResponse === 'empty') return { status: 204, headers: {} };
      const isBare = contactBody === 'bare' || !notShown.includes('body');
      return jsonResponse(status, isBare ? result : { [contactBody]: result });
    }
  }
}

/** Returns the response to a rejected request. */
export function errorResponse(
  error: ServiceError,
  gaps: SpecGaps,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const { code, message, details } = error;
  const status = statusOf(error, gaps);
  // RFC 9110 requires this header in every 401.
  const challenge = status === 401 && { 'WWW-Authenticate': 'Bearer' };
  const isTemporary = error instanceof RateLimitedError || error instanceof StoreUnavailableError;
  const comeBack = isTemporary && {
    'Retry-After': String(Math.ceil(error.retryAfter / 1000)),
  };
  const body = { code, message, ...(details.length > 0 && { details }) };
  return {
    ...errorResponseOf(status, body, gaps, { ...challenge, ...comeBack, ...headers }),
    refusal: error,
  };
}

/**
 * Returns a response with any error status and code, in the format of `specGaps`. The service's document only shows the code.
 */
export function errorResponseOf(
  status: number,
  error: ErrorBody['error'],
  { errorBody }: SpecGaps,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const { code, message } = error;
  const withText = (type: 'plain' | 'html', body: string): HttpResponse => ({
    status,
    headers: { 'Content-Type': `text/${type}; charset=utf-8`, ...headers },
    body,
  });
  switch (errorBody) {
    case 'nested':
      return jsonResponse(status, { error }, headers);
    case 'flat':
      return jsonResponse(status, error, headers);
    case 'code':
      return jsonResponse(status, { error: code }, headers);
    case 'text':
      return withText('plain', `${code}: ${message}`);
    case 'html': {
      // Escaped, because the message can contain text of the request.
      const text = message.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
      return withText('html', `<!doctype html><title>${status}</title><p>${text}</p>\n`);
    }
    case 'empty':
      return { status, headers };
  }
}

/** Returns the status of the error: from the contract, or from `specGaps` where the contract has none. */
function statusOf(
  error: ServiceError,
  { unauthorizedStatus, invalidRequestStatus, unreadableBodyStatus, unknownIdStatus }: SpecGaps,
): number {
  if (error instanceof UnknownIdError) return unknownIdStatus;
  const { code } = error;
  switch (code) {
    case 'unauthorized':
      return unauthorizedStatus;
    case 'invalid_request':
      return invalidRequestStatus;
    case 'invalid_json':
    case 'unsupported_media_type':
    case 'payload_too_large':
      return unreadableBodyStatus === 'own' ? errorStatuses[code] : unreadableBodyStatus;
    default:
      return errorStatuses[code];
  }
}

/** Returns a JSON response. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}
