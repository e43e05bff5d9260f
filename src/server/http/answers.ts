import { type ErrorBody, errorStatuses } from '../../contract/error.js';
import type { Operation, OperationRequest } from '../../contract/operation.js';
import { type Connection, stalledBody } from '../faults/broken-body.js';
import type { Holds } from '../faults/holds.js';
import type { ServiceError } from '../service/service-error.js';

/** An answer before it goes out: plain data, which can be noted in the journal as it is. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Half of the body goes out, then nothing until the client gives up or these holds are released. */
  readonly stalledBy?: Holds;
}

/** What a request comes to: an answer, or a connection that breaks without one. */
export type Reply = Answer | 'reset';

/** The answer to an operation that succeeded: its status and body as the contract's table has them. */
export function successAnswer<Request extends OperationRequest, Result, Outcome extends string>(
  operation: Operation<Request, Result, Outcome>,
  outcome: Outcome,
  result: Result,
): Answer {
  const status = operation.successes[outcome];
  if (operation.result.kind === 'nothing') return { status, headers: {} };
  const body = operation.result.kind === 'list' ? { [operation.result.envelopes[0]]: result } : result;
  return jsonAnswer(status, body);
}

/** The answer to a request that was refused. */
export function errorAnswer(error: ServiceError, headers: Readonly<Record<string, string>> = {}): Answer {
  const { code, message, details } = error;
  // RFC 9110 asks this of every 401.
  const challenge = code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' };
  const body = { code, message, ...(details.length > 0 && { details }) };
  return errorAnswerOf(errorStatuses[code], body, { ...challenge, ...headers });
}

/** The answer with an error of any status and code. */
export function errorAnswerOf(
  status: number,
  error: ErrorBody['error'],
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body: ErrorBody = { error };
  return jsonAnswer(status, body, headers);
}

/** A JSON answer. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** The answer as it goes out, by a connection where it came by one. */
export function toResponse(
  { status, headers, body, stalledBy }: Answer,
  connection?: Connection | undefined,
): Response {
  if (body === undefined || stalledBy === undefined) return new Response(body ?? null, { status, headers });
  const bytes = new TextEncoder().encode(body);
  const whole = { ...headers, 'Content-Length': String(bytes.byteLength) };
  return new Response(stalledBody(bytes, stalledBy, connection), { status, headers: whole });
}
