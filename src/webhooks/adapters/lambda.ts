import { systemClock } from '../../foundation/clock.js';
import type { ReceiverAnswer, ReceiverCore } from '../receiver/exchange.js';
import { readLambdaBody } from './lambda-body.js';
import type { LambdaContext, LambdaEvent, LambdaHeaders, LambdaResult } from './lambda-event.js';

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
  return new Promise((resolve, reject) => {
    const cancelTimer = systemClock.setTimer(() => resolve(unavailable), Math.max(0, remaining - reserve));
    answer.then(resolve, reject).finally(cancelTimer);
  });
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
