import { rawBodyAdvice } from '../../webhooks/verification/raw-body.js';
import { causesOfClocks } from './clock-cause.js';
import { type AnsweredEvidence, hostOf, urlOf } from './evidence.js';
import type { DeliveryCause } from './explanation.js';
import { parsedBody, wrongSecret } from './signature-causes.js';

/** What the receivers of this package say of a body that something parsed, as a framework shows it in development. */
const [ofParsedBody = ''] = rawBodyAdvice.split('.');

/** What others say of it. */
const saysParsed =
  /stream is not readable|body (is unusable|has already been|already (read|used|consumed))|raw(Body| body)|payload must be provided as a string or a Buffer/i;

const saysSignature = /signature|hmac|\bsecret\b/i;

/** Why the receiver answered with a status other than 2xx. */
export function* causesOfAnswer(evidence: AnsweredEvidence): Generator<DeliveryCause> {
  const { status, text } = evidence;
  if (text.includes(ofParsedBody)) {
    yield parsedBody(evidence, 'certain');
    return;
  }
  if (saysParsed.test(text)) yield parsedBody(evidence, 'likely');
  yield* causesOfClocks(evidence);
  if (status >= 300 && status < 400) yield redirected(evidence);
  else if (status === 404 || status === 405 || status === 410) yield notFound(evidence);
  else if (status === 413) yield tooLarge(evidence);
  else if (status === 415) yield mediaType();
  else if (status === 429 || status === 503) yield busy(evidence);
  else if (status === 502 || status === 504) yield withoutReceiver(evidence);
  else if (status >= 500) yield* failed(evidence);
  else if ([400, 401, 403, 422].includes(status)) yield* refusedAsWrong(evidence);
  else yield refusedOtherwise(evidence);
}

function* refusedAsWrong(evidence: AnsweredEvidence): Generator<DeliveryCause> {
  const { status, text } = evidence;
  const ofSignature = status === 401 || saysSignature.test(text);
  if (!ofSignature && status !== 403) {
    yield {
      cause: 'body_refused',
      certainty: 'likely',
      explanation: `The receiver answered ${status}: it could not use the event, though its signature may have been right.`,
      advice:
        "Look into the receiver's log. A receiver of this package answers 400 to an event of another workspace than its workspaceId, " +
        'to a body that is no event, and to a timestamp that is too old or too new.',
    };
  }
  yield* mismatch(evidence, ofSignature);
  if (status === 401 || status === 403) {
    yield {
      cause: 'access_denied',
      certainty: status === 403 && !ofSignature ? 'likely' : 'possible',
      explanation: `Something before the receiver may have answered ${status}: a login, a CSRF protection, a proxy or a firewall.`,
      advice: 'Let POST requests to this path through without them: the signature tells who sent a delivery.',
    };
  }
}

/** The two reasons for a signature that does not match. */
function* mismatch(evidence: AnsweredEvidence, isSaid: boolean): Generator<DeliveryCause> {
  const rank = (isLikely: boolean) => (isLikely && isSaid ? 'likely' : 'possible');
  // A receiver that verified another delivery has the right secret.
  yield wrongSecret(evidence, rank(!evidence.acknowledgedOthers));
  yield parsedBody(evidence, rank(evidence.acknowledgedOthers || !isWrittenBackTheSame(evidence.body)));
}

/** Whether a receiver that parses the body and writes it with JSON.stringify hashes the bytes that were sent. */
function isWrittenBackTheSame(body: Uint8Array): boolean {
  const text = new TextDecoder().decode(body);
  return JSON.stringify(JSON.parse(text)) === text;
}

function* failed(evidence: AnsweredEvidence): Generator<DeliveryCause> {
  const { status, text, acknowledgedOthers } = evidence;
  if (saysSignature.test(text)) yield* mismatch(evidence, true);
  // The receivers of this package answer so, without a text, to a body that something parsed and to a handler that threw.
  const mayBeParsed = status === 500 && text === '';
  if (mayBeParsed && !acknowledgedOthers) yield parsedBody(evidence, 'likely');
  yield {
    cause: 'receiver_failed',
    certainty: 'likely',
    explanation: `The receiver failed: it answered ${status}${text === '' ? '' : `, “${beginningOf(text)}”`}.`,
    advice:
      "Look into the receiver's log, or its onError: a handler that throws leads to this. The delivery is retried, so handle it once only.",
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
    advice: `Give the subscription the URL that ${urlOf(evidence)?.href ?? delivery.url} leads to. Often a slash at the end or https:// is missing, or a login comes first.`,
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
    explanation: `The receiver answered ${status}: nothing there takes a POST at ${path}.`,
    advice: "Correct the path in the subscription's URL, or have the receiver take POST there.",
  };
}

function tooLarge({ body }: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'too_large',
    certainty: 'certain',
    explanation: `The receiver answered 413: a body of ${body.byteLength} bytes is too large for it.`,
    advice:
      "Raise the limit: maxBodyBytes of this package's receivers, limit of express.raw(), or the proxy's.",
  };
}

function mediaType(): DeliveryCause {
  return {
    cause: 'media_type',
    certainty: 'certain',
    explanation:
      'The receiver answered 415: it takes neither application/json nor, perhaps, what a proxy made of the body.',
    advice:
      'Have it take application/json. A receiver of this package answers so to a compressed body: turn off compression of requests in the proxy.',
  };
}

function busy({ status }: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'busy',
    certainty: 'certain',
    explanation: `The receiver answered ${status}: it takes nothing at the moment.`,
    advice:
      'A retry follows. A receiver of this package answers 503 while it closes, at maxConcurrent, when its dedupe store fails, and when the body or a handler takes too long.',
  };
}

function withoutReceiver(evidence: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'unreachable',
    certainty: 'likely',
    explanation: `A proxy or a tunnel at ${hostOf(evidence)} answered ${evidence.status}: it got no answer from the receiver behind it.`,
    advice: 'Start your receiver, and check the address that the proxy forwards to.',
  };
}

function refusedOtherwise({ status, text }: AnsweredEvidence): DeliveryCause {
  return {
    cause: 'refused',
    certainty: 'certain',
    explanation: `The receiver answered ${status}${text === '' ? '' : `, “${beginningOf(text)}”`}: only a 2xx acknowledges a delivery.`,
    advice: 'Answer 204 to what was received.',
  };
}

const mostQuoted = 160;

function beginningOf(text: string): string {
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
}
