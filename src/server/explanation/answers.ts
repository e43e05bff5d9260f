import { rawBodyAdvice } from '../../webhooks/verification/raw-body.js';
import { causesOfClocks } from './clock-cause.js';
import { type AnsweredEvidence, hostOf, urlOf } from './evidence.js';
import type { DeliveryCause } from './explanation.js';
import { parsedBody, wrongSecret } from './signature-causes.js';

/** The error of this package's receivers for a body that a parser has read, as frameworks show it in development. */
const [ofParsedBody = ''] = rawBodyAdvice.split('.');

/** How other receivers report it. */
const saysParsed =
  /stream is not readable|body (is unusable|has already been|already (read|used|consumed))|raw(Body| body)|payload must be provided as a string or a Buffer/i;

const saysSignature = /signature|hmac|\bsecret\b/i;

/** Yields why the receiver answered with a status other than 2xx. */
export function* causesOfAnswer(evidence: AnsweredEvidence): Generator<DeliveryCause> {
  const { status, text } = evidence;
  if (text.includes(ofParsedBody)) {
    yield parsedBody(evidence, 'certain');
    return;
  }
  if (saysParsed.test(text)) yield parsedBody(evidence, 'likely');
  // A receiver that says nothing of the time answers 401 to a wrong signature, more often than to a wrong time.
  const clocks = [...causesOfClocks(evidence)];
  const isAfterthought = status === 401 && clocks.every(({ certainty }) => certainty === 'possible');
  if (!isAfterthought) yield* clocks;
  if (status >= 300 && status < 400) yield redirected(evidence);
  else if (status === 404 || status === 405 || status === 410) yield notFound(evidence);
  else if (status === 413) yield tooLarge(evidence);
  else if (status === 415) yield mediaType();
  else if (status === 429 || status === 503) yield busy(evidence);
  else if (status === 502 || status === 504) yield withoutReceiver(evidence);
  else if (status >= 500) yield* failed(evidence);
  else if ([400, 401, 403, 422].includes(status)) yield* refusedAsWrong(evidence);
  else yield refusedOtherwise(evidence);
  if (isAfterthought) yield* clocks;
}

function* refusedAsWrong(evidence: AnsweredEvidence): Generator<DeliveryCause> {
  const { status, text } = evidence;
  const ofSignature = status === 401 || saysSignature.test(text);
  if (!ofSignature && status !== 403) {
    yield {
      cause: 'body_refused',
      certainty: 'likely',
      explanation: `The receiver answered ${status}: it rejected the content of the event. The signature may have been valid.`,
      advice:
        "Check the receiver's log. A receiver of this package answers 400 if the event belongs to another workspace than its workspaceId, " +
        'if the body is not an event, or if the timestamp is too old or too new.',
    };
  }
  yield* mismatch(evidence, ofSignature);
  if (status === 401 || status === 403) {
    yield {
      cause: 'access_denied',
      certainty: status === 403 && !ofSignature ? 'likely' : 'possible',
      explanation: `Something in front of the receiver may have answered ${status}: a login, CSRF protection, a proxy or a firewall.`,
      advice: 'Exempt POST requests to this path from it: the signature already proves who sent a delivery.',
    };
  }
}

/** Yields the two reasons for a signature that does not match: another secret, or another body. */
function* mismatch(evidence: AnsweredEvidence, isSaid: boolean): Generator<DeliveryCause> {
  const rank = (isLikely: boolean) => (isLikely && isSaid ? 'likely' : 'possible');
  // A receiver that verified another delivery has the right secret.
  yield wrongSecret(evidence, rank(!evidence.acknowledgedOthers));
  yield parsedBody(evidence, rank(evidence.acknowledgedOthers || !isWrittenBackTheSame(evidence.body)));
}

/** Whether JSON.parse and JSON.stringify reproduce the sent bytes, so that parsing the body does not break the signature. */
function isWrittenBackTheSame(body: Uint8Array): boolean {
  const text = new TextDecoder().decode(body);
  return JSON.stringify(JSON.parse(text)) === text;
}

function* failed(evidence: AnsweredEvidence): Generator<DeliveryCause> {
  const { status, text, acknowledgedOthers } = evidence;
  if (saysSignature.test(text)) yield* mismatch(evidence, true);
  // The receivers of this package answer 500 without a text to a parsed body and to an error of the handler.
  const mayBeParsed = status === 500 && text === '';
  if (mayBeParsed && !acknowledgedOthers) yield parsedBody(evidence, 'likely');
  yield {
    cause: 'receiver_failed',
    certainty: 'likely',
    explanation: `The receiver had an error: it answered ${status}${text === '' ? '' : `, “${beginningOf(text)}”`}.`,
    advice:
      "Check the receiver's log or its onError callback. A handler that throws causes this. The service retries the delivery, so make the handler idempotent.",
  };
  if (mayBeParsed && acknowledgedOthers) yield parsedBody(evidence, 'possible');
}

function redirected(evidence: AnsweredEvidence): DeliveryCause {
  const { status, delivery, attempt } = evidence;
  const { error = '' } = attempt;
  const followed = error.startsWith('the receiver redirected');
  return {
    cause: 'redirect',
    certainty: 'certain',
    explanation: followed
      ? `The redirect (${status}) could not be followed: ${error}.`
      : `The receiver answered ${status}: a redirect, which the service does not follow.`,
    advice: `Use the URL to which ${urlOf(evidence)?.href ?? delivery.url} redirects as the URL of the subscription. Usual reasons: a missing slash at the end, http:// instead of https://, or a login page.`,
  };
}

function notFound(evidence: AnsweredEvidence): DeliveryCause {
  const { status, text, delivery } = evidence;
  const path = urlOf(evidence)?.pathname ?? delivery.url;
  // The pages of Express and Fastify for a path without a route.
  const saysSo = status === 405 || /Cannot POST|Route POST:/.test(text);
  return {
    cause: 'not_found',
    certainty: saysSo ? 'certain' : 'likely',
    explanation: `The receiver answered ${status}: it has no route for POST ${path}.`,
    advice: "Correct the path in the subscription's URL, or add a POST route to the receiver.",
  };
}

function tooLarge({ body }: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'too_large',
    certainty: 'certain',
    explanation: `The receiver answered 413: the body of ${body.byteLength} bytes exceeds its limit.`,
    advice:
      'Raise the limit: maxBodyBytes of a receiver of this package, limit of express.raw(), or the limit of the proxy.',
  };
}

function mediaType(): DeliveryCause {
  return {
    cause: 'media_type',
    certainty: 'certain',
    explanation:
      'The receiver answered 415: it does not accept the content type application/json, or a proxy changed the encoding of the body.',
    advice:
      'Accept application/json. A receiver of this package answers 415 to a compressed body: turn off the compression of requests in the proxy.',
  };
}

function busy({ status }: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'busy',
    certainty: 'certain',
    explanation: `The receiver answered ${status}: it does not accept deliveries at the moment.`,
    advice:
      'The service retries. A receiver of this package answers 503 while it closes, at maxConcurrent, if its dedupe store fails, and if reading the body or a handler takes too long.',
  };
}

function withoutReceiver(evidence: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'unreachable',
    certainty: 'likely',
    explanation: `A proxy or tunnel at ${hostOf(evidence)} answered ${evidence.status}: it got no response from the receiver behind it.`,
    advice: 'Start your receiver, and check the address that the proxy forwards to.',
  };
}

function refusedOtherwise({ status, text }: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'refused',
    certainty: 'certain',
    explanation: `The receiver answered ${status}${text === '' ? '' : `, “${beginningOf(text)}”`}: only a 2xx status acknowledges a delivery.`,
    advice: 'Answer 204 when your receiver has accepted the delivery.',
  };
}

const mostQuoted = 160;

function beginningOf(text: string): string {
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
}
