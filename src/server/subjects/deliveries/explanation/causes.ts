import { isThisMachine } from '../../../../foundation/this-machine.js';
import { findingOf } from '../../../../webhooks/diagnose/finding.js';
import { rawBodyAdvice } from '../../../../webhooks/verification/raw-body.js';
import { away, clocksOfReceivers, inWords, skewAt } from '../../../deliveries/refused-for-time.js';
import { endingOf } from '../../subscriptions.js';
import {
  type AttemptedEvidence,
  type DeliveryEvidence,
  hostOf,
  type ResponseEvidence,
  subscriptionOf,
  textIn,
  urlOf,
} from './evidence.js';
import type { DeliveryCause } from './explanation.js';
import { causesOfFaults } from './injected.js';

type Certainty = DeliveryCause['certainty'];

const certainties: readonly Certainty[] = ['certain', 'likely', 'possible'];

/** Returns the causes of a delivery's status, the most likely first. A certain cause is the only one. */
export function causesOf(evidence: DeliveryEvidence): readonly DeliveryCause[] {
  const found = possibleCauses(evidence);
  const certain = found.find(({ certainty }) => certainty === 'certain');
  if (certain !== undefined) return [certain];
  return found.sort((a, b) => certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty));
}

function possibleCauses(evidence: DeliveryEvidence): DeliveryCause[] {
  const attempt = evidence.delivery.attempts.at(-1);
  if (evidence.delivery.status === 'cancelled' || attempt === undefined) return [whyNotSent(evidence)];
  const { status, error, responseBody: response, responseInterrupted = false } = attempt;
  const attempted = { ...evidence, attempt };
  const faults = causesOfFaults(attempted);
  if (error === undefined) return [...faults, acknowledged(attempted)];
  if (status === undefined || response === undefined || responseInterrupted)
    return [...faults, whyNoResponse(attempted, error)];
  const responded = { ...attempted, status, text: textIn(response) };
  const clock = clockCause(responded);
  const ofBody = parsedBody(responded);
  const others = causesOfResponse(responded, ofBody);
  // What the receiver says of itself comes before what its status suggests.
  const said = saysParsed(responded) ? ofBody : [];
  return [...faults, ...said, ...clock, ...others.filter((cause) => !said.includes(cause))];
}

function certain(cause: DeliveryCause['cause'], explanation: string, advice: string): DeliveryCause {
  return { cause, certainty: 'certain', explanation, advice };
}

/** Why the receiver got nothing. */
function whyNotSent({ delivery, now }: DeliveryEvidence): DeliveryCause {
  const { status, subscriptionId, attempts, dueAt } = delivery;
  if (status === 'cancelled') {
    return certain(
      'subscription_gone',
      `Subscription ${subscriptionId} was deleted, which cancelled the delivery after ${attemptsInWords(attempts.length)}.`,
      'Subscribe again, and trigger the event again.',
    );
  }
  if (dueAt !== undefined && dueAt > now) {
    return certain(
      'not_attempted',
      `The first attempt is due at ${new Date(dueAt).toISOString()} by the workspace's clock.`,
      "Advance the workspace's clock, or wait.",
    );
  }
  const explanation = 'The first attempt is running, or waits for a free connection.';
  return certain('not_attempted', explanation, 'Check again after the attempt.');
}

function acknowledged({ attempt, delivery }: AttemptedEvidence): DeliveryCause {
  const before = delivery.attempts.length - 1;
  const after = before === 0 ? '' : `, after ${attemptsInWords(before, 'failed')}`;
  const explanation = `The receiver responded with ${attempt.status}: it accepted the delivery${after}.`;
  return certain('acknowledged', explanation, 'You need not do anything.');
}

/** What follows a failure by itself: the next attempt, if there is one. */
function whatFollows({ delivery: { status } }: DeliveryEvidence): string {
  return status === 'pending'
    ? 'The service retries the delivery.'
    : 'This was the last attempt: redeliver the delivery when the reason is gone.';
}

/** An attempt to which no complete response arrived, and its error. */
interface FailedAttempt extends AttemptedEvidence {
  readonly error: string;
  readonly host: string;
}

/** Why no complete response arrived. The more specific errors come first. */
function whyNoResponse(attempted: AttemptedEvidence, error: string): DeliveryCause {
  const failed = { ...attempted, error, host: hostOf(attempted) };
  return (
    whyNotForwarded(failed) ??
    whyTooLate(failed) ??
    whyAddressRefused(failed) ??
    whyNotConnected(failed) ??
    whyInterrupted(failed) ??
    certain(
      'unreachable',
      `No response from ${failed.host}: ${detailOf(error)}.`,
      "Check the subscription's URL, the network, and that the receiver is running.",
    )
  );
}

/** What an error says, without the words with which each such error begins. */
function detailOf(error: string): string {
  return error.replace(/^no response: /, '').replace(/\.$/, '');
}

function whyNotForwarded(failed: FailedAttempt): DeliveryCause | undefined {
  if (!failed.error.includes('`messaging-automation listen`')) return undefined;
  return certain(
    'unreachable',
    `No \`messaging-automation listen\` was connected. It forwards the deliveries of this subscription to ${failed.host}.`,
    `Start it again. ${whatFollows(failed)}`,
  );
}

function whyTooLate({ attempt: { status }, error, host }: FailedAttempt): DeliveryCause | undefined {
  const [, limit] = /^no complete response within (\S+ s)/.exec(error) ?? [];
  if (limit === undefined) return undefined;
  const responded =
    status === undefined ? 'did not respond' : `responded with ${status}, but did not complete its response`;
  return certain(
    'timeout',
    `The receiver at ${host} ${responded} within ${limit}.`,
    'Respond before you do the work: with the option enqueue, a receiver of this package puts deliveries into a queue of yours. ' +
      'If the receiver stopped at a breakpoint, continue it.',
  );
}

/** The words of an attempt that was not made for the address of its receiver. */
const addressWords = "the receiver's address must";

/** A name that leads to such an address is refused while the server connects, which the error says first. */
function whyAddressRefused({ delivery, error }: FailedAttempt): DeliveryCause | undefined {
  if (!error.includes(addressWords)) return undefined;
  return certain(
    'address_refused',
    `The server did not connect to ${delivery.url}: ${error.slice(error.indexOf(addressWords))}.`,
    "Use a public HTTPS endpoint, or one on this machine. In a network of containers, create the server with receiverAddresses: 'any' " +
      '(serve --receiver-addresses any).',
  );
}

/** The errors of the runtimes for a request without any response, and what each means. */
const connectionErrors: readonly {
  readonly words: RegExp;
  readonly explanation: (failed: FailedAttempt) => string;
  readonly advice: (failed: FailedAttempt) => string;
}[] = [
  {
    words: /ECONNREFUSED|connection refused|unable to connect|nothing listens/i,
    explanation: ({ host }) => `Nothing listens on ${host}.`,
    advice: (failed) => {
      const isHere = isThisMachine(urlOf(failed)?.hostname ?? '');
      return `Start your receiver, or correct the subscription's URL.${isHere ? ' In a container, localhost is the container itself.' : ''}`;
    },
  },
  {
    words: /ENOTFOUND|EAI_AGAIN|getaddrinfo|dns error|address is not known/i,
    explanation: (failed) =>
      `The host name ${urlOf(failed)?.hostname ?? failed.delivery.url} has no address.`,
    advice: () => "Correct the host in the subscription's URL, or add it to DNS.",
  },
  {
    words: /EPROTO|wrong version number|ssl routines|packet length|secure TLS connection/i,
    explanation: ({ host }) =>
      `The program at ${host} does not use TLS, but the subscription's URL begins with https://.`,
    advice: () =>
      'Correct the port, or enable TLS in the receiver. For a receiver on this machine, you can use http://.',
  },
  {
    words: /certificate|CERT_|altnames|UNABLE_TO_/i,
    explanation: ({ host, error }) =>
      `The server does not trust the certificate of ${host}: ${detailOf(error)}.`,
    advice: () =>
      'Install a certificate for this host name from an authority that the server trusts. NODE_EXTRA_CA_CERTS adds authorities. ' +
      'A receiver on this machine may have a URL with http://.',
  },
  {
    words: /Parse Error|HPE_|Expected HTTP/i,
    explanation: ({ host }) => `The program at ${host} does not respond in HTTP.`,
    advice: () => "Correct the port in the subscription's URL. If the program uses TLS, use https://.",
  },
];

function whyNotConnected(failed: FailedAttempt): DeliveryCause | undefined {
  if (failed.attempt.status !== undefined) return undefined;
  const known = connectionErrors.find(({ words }) => words.test(failed.error));
  return known && certain('unreachable', known.explanation(failed), known.advice(failed));
}

/** The errors of the runtimes for a connection that ends during the exchange. */
const cutWords = /ECONNRESET|EPIPE|socket hang up|other side closed|interrupted|connection was reset/i;

function whyInterrupted({ attempt: { status }, error, host }: FailedAttempt): DeliveryCause | undefined {
  if (status === undefined && !cutWords.test(error)) return undefined;
  const when = status === undefined ? 'before it responded' : `in the middle of its response (${status})`;
  return certain(
    'response_interrupted',
    `The receiver at ${host} closed the connection ${when}.`,
    'Check its log: it may have crashed or restarted, or a proxy closed the connection. ' +
      "If the receiver uses TLS, the subscription's URL must begin with https://.",
  );
}

/** The error of this package's receivers for a body that a parser has read, as frameworks show it in development. */
const [ofParsedBody = ''] = rawBodyAdvice.split('.');

/** How other receivers report it. */
const parsedWords =
  /stream is not readable|body (is unusable|has already been|already (read|used|consumed))|raw(Body| body)|payload must be provided as a string or a Buffer/i;

const saysParsed = ({ text }: ResponseEvidence): boolean =>
  text.includes(ofParsedBody) || parsedWords.test(text);

const saysSignature = ({ text }: ResponseEvidence): boolean => /signature|hmac|\bsecret\b/i.test(text);

/** Whether the receiver rejected the signature, by its words or by the status for it. */
const isOfSignature = (evidence: ResponseEvidence): boolean =>
  saysSignature(evidence) || (evidence.status === 401 && !saysAccess(evidence));

/** Statuses with which receivers reject what they read. */
const rejections: readonly number[] = [400, 401, 403, 422];

/** Whether the receiver itself failed, and no proxy in front of it, and it does not say that it is busy. */
const isFailure = ({ status }: ResponseEvidence): boolean =>
  status >= 500 && ![502, 503, 504].includes(status);

/** Whether the response is of a login or another check, and not of a receiver. */
const saysAccess = ({ text }: ResponseEvidence): boolean =>
  /\b(log ?in|sign ?in|password|credentials|authentication|authorization required|csrf)\b/i.test(text);

/** The receivers of this package respond with 500 without a text to a parsed body and to an error of the handler. */
const mayBeParsed = ({ status, text }: ResponseEvidence): boolean => status === 500 && text === '';

/** Whether the signature may not have matched. */
const isMismatch = (evidence: ResponseEvidence): boolean =>
  rejections.includes(evidence.status) || (isFailure(evidence) && isOfSignature(evidence));

/** Whether JSON.parse and JSON.stringify reproduce the sent bytes, so that parsing the body does not break the signature. */
function isWrittenBackTheSame({ body }: ResponseEvidence): boolean {
  const text = new TextDecoder().decode(body);
  return JSON.stringify(JSON.parse(text)) === text;
}

function certaintyOfParsedBody(evidence: ResponseEvidence): Certainty | undefined {
  const { text, acknowledgedOthers } = evidence;
  if (text.includes(ofParsedBody)) return 'certain';
  if (saysParsed(evidence)) return 'likely';
  // A receiver that verified another delivery takes its bodies raw.
  if (mayBeParsed(evidence)) return acknowledgedOthers ? 'possible' : 'likely';
  if (!isMismatch(evidence)) return undefined;
  const isLikely = acknowledgedOthers || !isWrittenBackTheSame(evidence);
  return isLikely && isOfSignature(evidence) ? 'likely' : 'possible';
}

function parsedBody(evidence: ResponseEvidence): DeliveryCause[] {
  const certainty = certaintyOfParsedBody(evidence);
  if (certainty === undefined) return [];
  const isCertain = certainty === 'certain';
  const explanation =
    `Something in front of the receiver ${isCertain ? 'parsed' : 'may have parsed'} the body, so the receiver verified other bytes than the signed ones. ` +
    `It responded with ${evidence.status}${isCertain ? ', and its response names a body that is not raw' : ''}.`;
  return [
    { cause: 'parsed_body', certainty, explanation, advice: findingOf('body_rewritten', false).advice },
  ];
}

function wrongSecret(evidence: ResponseEvidence): DeliveryCause {
  const secret = subscriptionOf(evidence)?.secret;
  const signed =
    secret === undefined
      ? "with the subscription's secret, which was deleted in the meantime"
      : `with the secret that ends in …${endingOf(secret)}`;
  return {
    cause: 'wrong_secret',
    // A receiver that verified another delivery has the right secret.
    certainty: isOfSignature(evidence) && !evidence.acknowledgedOthers ? 'likely' : 'possible',
    explanation: `The receiver responded with ${evidence.status}: it may have another secret. The delivery was signed ${signed}.`,
    advice:
      'Compare the last characters with those of the WEBHOOK_SECRET of the receiver, and correct the secret. The prefix whsec_ is a part of it.',
  };
}

/** What the status of a response suggests, and the cause of a parsed body in its place. */
function causesOfResponse(evidence: ResponseEvidence, ofBody: readonly DeliveryCause[]): DeliveryCause[] {
  const { status, text } = evidence;
  if (!rejections.includes(status) && !isFailure(evidence)) return [causeOfStatus(evidence), ...ofBody];
  const causes: DeliveryCause[] = [];
  if ([400, 422].includes(status) && !isOfSignature(evidence)) {
    causes.push({
      cause: 'body_refused',
      certainty: 'likely',
      explanation: `The receiver responded with ${status}: it rejected the content of the event. The signature may have been valid.`,
      advice:
        "Check the receiver's log. A receiver of this package responds with 400 if the event belongs to another workspace than its workspaceId, " +
        'if the body is not an event, or if the timestamp is too old or too new.',
    });
  }
  if (isMismatch(evidence)) causes.push(wrongSecret(evidence));
  if (isFailure(evidence)) {
    causes.push({
      cause: 'receiver_failed',
      certainty: 'likely',
      explanation: `The receiver had an error: it responded with ${status}${quoted(text)}.`,
      advice:
        "Check the receiver's log or its onError callback. A handler that throws causes this, and so does a body that something read before a " +
        `receiver of this package. ${whatFollows(evidence)}`,
    });
  }
  causes.push(...ofBody);
  if (status === 401 || status === 403) {
    causes.push({
      cause: 'access_denied',
      certainty: isOfSignature(evidence) ? 'possible' : 'likely',
      explanation: `Something in front of the receiver may have responded with ${status}: a login, CSRF protection, a proxy or a firewall.`,
      advice: 'Exempt POST requests to this path from it: the signature already proves who sent a delivery.',
    });
  }
  return causes;
}

/** The cause that a status names itself. */
function causeOfStatus(evidence: ResponseEvidence): DeliveryCause {
  const { status, text, attempt, body, delivery } = evidence;
  if (status >= 300 && status < 400) {
    const explanation = attempt.error?.startsWith('the receiver redirected')
      ? `The redirect (${status}) could not be followed: ${attempt.error}.`
      : `The receiver responded with ${status}: a redirect, which the service does not follow.`;
    const advice = `Use the URL to which ${urlOf(evidence)?.href ?? delivery.url} redirects as the URL of the subscription. Usual reasons: a missing slash at the end, http:// instead of https://, or a login page.`;
    return certain('redirect', explanation, advice);
  }
  switch (status) {
    case 404:
    case 405:
    case 410: {
      // The pages of Express and Fastify for a path without a route.
      const isCertain = status === 405 || /Cannot POST|Route POST:/.test(text);
      return {
        cause: 'not_found',
        certainty: isCertain ? 'certain' : 'likely',
        explanation: `The receiver responded with ${status}: it has no route for POST ${urlOf(evidence)?.pathname ?? delivery.url}.`,
        advice: "Correct the path in the subscription's URL, or add a POST route to the receiver.",
      };
    }
    case 413:
      return certain(
        'too_large',
        `The receiver responded with 413: the body of ${body.byteLength} bytes exceeds its limit.`,
        'Raise the limit: maxBodyBytes of a receiver of this package, limit of express.raw(), or the limit of the proxy.',
      );
    case 415:
      return certain(
        'media_type',
        'The receiver responded with 415: it does not accept the content type application/json, or a proxy changed the encoding of the body.',
        'Accept application/json. A receiver of this package responds with 415 to a compressed body: turn off the compression of requests in the proxy.',
      );
    case 429:
    case 503:
      return certain(
        'busy',
        `The receiver responded with ${status}: it does not accept deliveries at the moment.`,
        `${whatFollows(evidence)} A receiver of this package responds with 503 while it closes, at maxConcurrent, if its dedupe store or its queue fails, and if reading the body or a handler takes too long.`,
      );
    case 502:
    case 504:
      return {
        cause: 'unreachable',
        certainty: 'likely',
        explanation: `A proxy or tunnel at ${hostOf(evidence)} responded with ${status}: it got no response from the receiver behind it.`,
        advice: 'Start your receiver, and check the address that the proxy forwards to.',
      };
    default:
      return certain(
        'refused',
        `The receiver responded with ${status}${quoted(text)}: only a 2xx status acknowledges a delivery.`,
        'Return 204 when your receiver has accepted the delivery.',
      );
  }
}

const quoted = (text: string): string => (text === '' ? '' : `, “${beginningOf(text)}”`);

const mostQuoted = 160;

function beginningOf(text: string): string {
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
}

/** A number of attempts: `1 attempt`, or `2 failed attempts`. */
function attemptsInWords(count: number, kind = ''): string {
  return [count, kind, count === 1 ? 'attempt' : 'attempts'].filter((word) => word !== '').join(' ');
}

/** Clocks within this difference count as equal, because a `Date` header counts in seconds and a response takes time. In milliseconds. */
const sameClock = 60_000;

/** The words of a response that rejects a delivery because of its timestamp, including those of this package. */
const saysSo = /\b(timestamp|too (old|new|far)|ms (old|ahead)|expired?|stale|replay|clock|in the future)\b/i;

/**
 * Returns the clock by which a receiver would reject the delivery as too old or too new, if there is one. A receiver of this package
 * responds to such a delivery with 400 and no text. So any other response is of the time only if it says so, or if its text leaves it open.
 */
function clockCause(evidence: ResponseEvidence): readonly DeliveryCause[] {
  const { status, text } = evidence;
  const isSaid = saysSo.test(text) && (rejections.includes(status) || isFailure(evidence));
  if (!isSaid && (![400, 422].includes(status) || saysSignature(evidence))) return [];
  const found = clockIn(evidence);
  if (found === undefined) return [];
  const { isUsual, ...words } = found;
  const isLikely = isSaid || (status === 400 && text === '' && isUsual);
  return [{ cause: 'clock', certainty: isLikely ? 'likely' : 'possible', ...words }];
}

interface FoundClock extends Pick<DeliveryCause, 'explanation' | 'advice'> {
  /** Whether receivers usually have this clock. */
  readonly isUsual: boolean;
}

function clockIn({ body, clocks, stamps, attempt }: ResponseEvidence): FoundClock | undefined {
  const { receiver, workspace } = clocks;
  const machine = attempt.machineTime;
  const stamping = stamps === 'machine' ? machine : workspace;
  const age = stamping === undefined ? undefined : skewAt(body, stamping);
  if (age !== undefined && age > 0) {
    return {
      isUsual: true,
      explanation: `The delivery was ${inWords(age)} old when it was attempted, because it keeps the timestamp of the event. Receivers reject such an old delivery as a replay.`,
      advice: 'Trigger the event again, or raise tolerance.past of the receiver temporarily.',
    };
  }
  // The header omits the milliseconds.
  const off = receiver && (skewAt(body, receiver + 999) ?? skewAt(body, receiver));
  if (receiver !== undefined && off !== undefined && isAnother(receiver, machine, workspace)) {
    const difference = receiver - (machine ?? workspace);
    return {
      isUsual: true,
      explanation: `The timestamp of the delivery is ${away(off)} the receiver's clock, according to the Date header of its response.`,
      advice: `Correct the clock of the receiver's machine: it is ${inWords(Math.abs(difference))} ${difference > 0 ? 'ahead of' : 'behind'} ${machine === undefined ? "the workspace's" : 'that of this one'}.`,
    };
  }
  for (const which of ['machine', 'workspace'] as const) {
    const time = which === 'machine' ? machine : workspace;
    const skew = which === stamps || time === undefined ? undefined : skewAt(body, time);
    if (skew === undefined) continue;
    const { clock, advice } = clocksOfReceivers[which];
    return {
      isUsual: which === 'machine',
      explanation: `The timestamp of the delivery is ${away(skew)} ${clock}, so a receiver with that clock rejects it.`,
      advice: `${advice[0]?.toUpperCase()}${advice.slice(1)}.`,
    };
  }
  return undefined;
}

/** Whether the receiver has neither the machine's clock nor the workspace's. */
function isAnother(receiver: number, ...known: readonly (number | undefined)[]): boolean {
  return known.every((time = Number.POSITIVE_INFINITY) => Math.abs(receiver - time) > sameClock);
}
