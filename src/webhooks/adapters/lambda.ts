import { atMost, systemClock } from '../../foundation/clock.js';
import { fromBase64, toBytes } from '../crypto/bytes.js';
import { parsed } from '../receiver/errors.js';
import type { ReceiverCore, ReceiverResponse } from '../receiver/exchange.js';
import { unavailable } from '../receiver/responses.js';
import { checkReceiver } from './check-receiver.js';

/**
 * An HTTP request as AWS Lambda gets it: from an API Gateway (payload format 1.0 or 2.0), a function URL (2.0) or an
 * Application Load Balancer. The events of `@types/aws-lambda` fit it.
 */
export type LambdaEvent = {
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
};

/**
 * The result of a Lambda function, in the format that the sender of the event expects.
 */
export type LambdaResult = {
  statusCode: number;
  headers?: Record<string, string>;
  /** Replaces `headers` for a load balancer with multi-value headers enabled. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
};

/**
 * The part of a Lambda function's context that the adapter reads.
 */
export type LambdaContext = {
  /** Returns how long the function may still run, in milliseconds. */
  getRemainingTimeInMillis?(): number;
};

/**
 * Converts a receiver into an AWS Lambda handler, behind an API Gateway (payload format 1.0 or 2.0), a function URL or an Application
 * Load Balancer. It recognises each by its event, and responds in the right format.
 *
 * Lambda freezes a function after its response. So the handler waits for all background work before it responds, including handlers that
 * exceed the receiver's deadline. 250 ms before the timeout of the function it responds with 503, and the service sends the delivery again.
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
  checkReceiver('toLambdaHandler', receiver);
  return async (event, context) => {
    const background: Promise<unknown>[] = [];
    const received = receiver.receive({
      method: methodOf(event),
      // Lists first, because `headers` contains only the last value of each header.
      headers: event.multiValueHeaders ?? event.headers ?? {},
      readBody: () => readBody(event),
      request: event,
      waitUntil: (work) => background.push(work),
    });
    const whole = received.finally(() => Promise.allSettled(background));
    const remaining = context?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
    if (!Number.isFinite(remaining)) return toResult(event, await whole);
    // 503 shortly before Lambda stops the function and its process. The service then sends the delivery again. If the work completes
    // later, the retry is a duplicate.
    const inTime = atMost(systemClock, Math.max(0, remaining - reserve), whole, () => unavailable);
    return toResult(event, await inTime);
  };
}

/** The time that remains to return the response, in milliseconds. */
const reserve = 250;

function methodOf(event: LambdaEvent): string {
  const method = event.httpMethod ?? event.requestContext?.http?.method;
  if (typeof method === 'string') return method;
  throw new TypeError(
    'The Lambda event is not an HTTP request. In API Gateway, use the Lambda proxy integration; ' +
      'an event from a queue or a schedule holds no delivery.',
  );
}

function toResult(event: LambdaEvent, { status, headers, body }: ReceiverResponse): LambdaResult {
  const result: LambdaResult = { statusCode: status, body, isBase64Encoded: false };
  // A load balancer only accepts response headers in the same format as the headers of its request.
  const takesLists = event.requestContext?.elb !== undefined && event.multiValueHeaders;
  if (!takesLists) return { ...result, headers: { ...headers } };
  const entries = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return { ...result, multiValueHeaders: Object.fromEntries(entries) };
}

/**
 * Reads the bytes of a Lambda event's body. Only `isBase64Encoded` decides how to decode it. If the text decided, a sender could
 * choose which bytes are hashed.
 *
 * @throws UnreadableBodyError if the body was parsed.
 */
function readBody(event: LambdaEvent): Uint8Array {
  const body: unknown = event.body ?? '';
  if (typeof body !== 'string') throw parsed(fix, 'The body is not a string, so something parsed it.');
  const bytes = event.isBase64Encoded ? fromBase64(body) : toBytes(body);
  if (bytes === undefined) throw parsed(fix, 'The event says that its body is base64, but it is not.');
  return bytes;
}

const fix =
  'Pass the event on as Lambda got it: with the proxy integration (no mapping template), and ahead of middleware ' +
  'that parses or decodes bodies, such as @middy/http-json-body-parser.';
