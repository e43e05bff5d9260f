import { systemClock } from '../../foundation/clock.js';
import { parsed, tooLarge } from '../receiver/body-faults.js';
import type { ReceiverAnswer, ReceiverCore } from '../receiver/exchange.js';
import { atMost } from '../receiver/waits.js';

/**
 * An HTTP request as AWS Lambda gets it: from an API Gateway (payload format 1.0 or 2.0), a function URL (2.0) or an
 * Application Load Balancer. The events of `@types/aws-lambda` fit it.
 */
export interface LambdaEvent {
  /** The method, in payload format 1.0 and from a load balancer. */
  readonly httpMethod?: string | undefined;
  /** Contains the method in format 2.0. It also identifies a load balancer. */
  readonly requestContext?:
    | {
        readonly httpMethod?: string | undefined;
        readonly http?: { readonly method: string } | undefined;
        readonly elb?: unknown;
      }
    | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** All values of each header, in format 1.0, and from a load balancer with multi-value headers enabled. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/**
 * The result of a Lambda function, in the format that the sender of the event expects.
 */
export interface LambdaResult {
  statusCode: number;
  /** For a load balancer: the code and its name, as in `200 OK`. */
  statusDescription?: string;
  headers?: Record<string, string>;
  /** Replaces `headers` for a load balancer with multi-value headers enabled. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/**
 * The part of a Lambda function's context that the adapter reads.
 */
export interface LambdaContext {
  /** Returns how long the function may still run, in milliseconds. */
  getRemainingTimeInMillis?(): number;
}

/** The headers of an event. Each has one value or several. */
export type LambdaHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Converts a receiver into an AWS Lambda handler, behind an API Gateway (payload format 1.0 or 2.0), a function URL or an Application
 * Load Balancer. It recognises each by its event, and answers in the right format.
 *
 * Lambda freezes a function after its answer. So the handler waits for all background work before it answers, including handlers that
 * exceed the receiver's deadline. 250 ms before the timeout of the function it answers 503, and the service sends the delivery again.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns The function's handler. It rejects with a TypeError only for an event that is not an HTTP request.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, signatureHeader, signWebhook, toLambdaHandler } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receiver = createWebhookReceiver({ secret });
 * receiver.on('contact.opted_in', (event) => console.log(event.workspaceId)); // workspace_1
 *
 * const handler = toLambdaHandler(receiver); // in the function's module: export const handler = …
 *
 * const body = JSON.stringify({
 *   event: 'contact.opted_in',
 *   workspaceId: 'workspace_1',
 *   timestamp: new Date().toISOString(),
 *   data: {},
 * });
 * const result = await handler({
 *   requestContext: { http: { method: 'POST' } },
 *   headers: { 'content-type': 'application/json', [signatureHeader.toLowerCase()]: signWebhook(body, secret) },
 *   body: btoa(body),
 *   isBase64Encoded: true,
 * });
 * console.log(result.statusCode < 300); // true
 * ```
 */
export function toLambdaHandler<Event extends LambdaEvent>(
  receiver: ReceiverCore<Event>,
): (event: Event, context?: LambdaContext) => Promise<LambdaResult> {
  return async (event, context) => {
    const answer = await inTime(answerWhole(receiver, event), context);
    return toResult(event, answer);
  };
}

/** Returns the receiver's answer when all background work is done too, because Lambda freezes the function after it returns. */
async function answerWhole<Event extends LambdaEvent>(
  receiver: ReceiverCore<Event>,
  event: Event,
): Promise<ReceiverAnswer> {
  const headers = headersOf(event);
  const background: Promise<unknown>[] = [];
  const answer = await receiver.receive({
    method: methodOf(event),
    headers,
    readBody: async (limit) => readLambdaBody(event, limit),
    request: event,
    waitUntil: (work) => background.push(work),
  });
  await Promise.allSettled(background);
  return answer;
}

/** The time that remains to return the answer, in milliseconds. */
const reserve = 250;

/** The work is not done, so the service sends the delivery again. If the work completes later, the retry is a duplicate. */
const unavailable: ReceiverAnswer = { status: 503, headers: {}, body: '' };

/** Returns the answer, or 503 shortly before Lambda stops the function and its process. */
function inTime(
  answer: Promise<ReceiverAnswer>,
  context: LambdaContext | undefined,
): Promise<ReceiverAnswer> {
  const remaining = context?.getRemainingTimeInMillis?.();
  if (typeof remaining !== 'number' || !Number.isFinite(remaining)) return answer;
  return atMost(systemClock, Math.max(0, remaining - reserve), answer, () => unavailable);
}

function methodOf(event: LambdaEvent): string {
  const method = event.httpMethod ?? event.requestContext?.http?.method;
  if (typeof method === 'string') return method;
  throw new TypeError(
    'The Lambda event is not an HTTP request. In API Gateway, use the Lambda proxy integration; ' +
      'an event from a queue or a schedule holds no delivery.',
  );
}

/** Prefers `multiValueHeaders`, because `headers` contains only the last value of each header. */
function headersOf({ multiValueHeaders, headers }: LambdaEvent): LambdaHeaders {
  return multiValueHeaders ?? headers ?? {};
}

function toResult(event: LambdaEvent, { status, headers, body }: ReceiverAnswer): LambdaResult {
  const result: LambdaResult = { statusCode: status, body, isBase64Encoded: false };
  if (event.requestContext?.elb === undefined) return { ...result, headers: { ...headers } };
  result.statusDescription = `${status} ${statusNames[status] ?? 'Unnamed'}`;
  // A load balancer only accepts response headers in the same format as the headers of its request.
  if (!event.multiValueHeaders) return { ...result, headers: { ...headers } };
  const entries = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return { ...result, multiValueHeaders: Object.fromEntries(entries) };
}

const statusNames: Readonly<Record<number, string>> = {
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/**
 * Reads the bytes of a Lambda event's body. Only `isBase64Encoded` decides how to decode it. If the text decided, a sender could
 * choose which bytes are hashed.
 *
 * @throws UnreadableBodyError if the body is too large or was parsed.
 */
export function readLambdaBody(event: LambdaEvent, limit: number): Uint8Array {
  const body: unknown = event.body ?? '';
  if (typeof body !== 'string') throw parsed(fix, 'The body is not a string, so something parsed it.');
  // Check the size before decoding. Base64 needs four characters for three bytes.
  if ((event.isBase64Encoded ? Math.floor(body.length / 4) * 3 - 2 : body.length) > limit)
    throw tooLarge(limit);
  const bytes = event.isBase64Encoded ? decodeBase64(body) : new TextEncoder().encode(body);
  if (bytes.byteLength > limit) throw tooLarge(limit);
  return bytes;
}

function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw parsed(fix, 'The event says that its body is base64, but it is not.');
  }
}

const fix =
  'Hand the event on as Lambda got it: with the proxy integration (no mapping template), and ahead of middleware ' +
  'that parses or decodes bodies, such as @middy/http-json-body-parser.';
