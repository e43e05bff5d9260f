import { findingOf } from '../../webhooks/diagnose/finding.js';
import { rawBodyAdvice } from '../../webhooks/verification/raw-body.js';
import { clockCause } from './clock-cause.js';
import {
  type AttemptedEvidence,
  type Evidence,
  endingOf,
  hostOf,
  otherAtSameUrl,
  type ResponseEvidence,
  subscriptionOf,
  textIn,
  urlOf,
} from './evidence.js';
import type { DeliveryCause } from './explanation.js';
import { causesOfFaults } from './injected.js';

type Certainty = DeliveryCause['certainty'];

const certainties: readonly Certainty[] = ['certain', 'likely', 'possible'];

/** A row of the tables below: a cause, how certain the evidence makes it, and what a person reads. */
interface Row<Known extends Evidence> {
  readonly cause: DeliveryCause['cause'];
  /** False if the evidence excludes the cause. */
  readonly certainty: (evidence: Known) => Certainty | false;
  readonly explanation: (evidence: Known) => string;
  readonly advice: string | ((evidence: Known) => string);
}

/** Returns the causes of a delivery's status, the most likely first. A certain cause is the only one. */
export function causesOf(evidence: Evidence): readonly DeliveryCause[] {
  const found = possibleCauses(evidence);
  const certain = found.find(({ certainty }) => certainty === 'certain');
  if (certain !== undefined) return [certain];
  return found.sort((a, b) => certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty));
}

function possibleCauses(evidence: Evidence): DeliveryCause[] {
  const attempt = evidence.delivery.attempts.at(-1);
  if (evidence.delivery.status === 'cancelled' || attempt === undefined) return causesIn(notSent, evidence);
  const { status, error, responseBody: response, responseInterrupted = false } = attempt;
  const attempted = { ...evidence, attempt };
  const faults = causesOfFaults(attempted);
  if (error === undefined) return [...faults, ...causesIn([acknowledged], attempted)];
  if (status === undefined || response === undefined || responseInterrupted)
    return [...faults, ...causesIn(noResponse, attempted)];
  const responded = { ...attempted, status, text: textIn(response) };
  const clock = clockCause(responded);
  const clocks = clock === undefined ? [] : [clock];
  const others = causesIn(responses, responded);
  // What the receiver says of itself comes before what its status suggests.
  const said = others.filter(({ cause }) => cause === 'parsed_body' && saysParsed(responded));
  const suggested = others.filter((cause) => !said.includes(cause));
  // A receiver that says nothing of the time responds with 401 to a wrong signature, more often than to a wrong time.
  const isAfterthought = status === 401 && clock?.certainty === 'possible';
  return [...faults, ...said, ...(isAfterthought ? [...suggested, ...clocks] : [...clocks, ...suggested])];
}

function causesIn<Known extends Evidence>(rows: readonly Row<Known>[], evidence: Known): DeliveryCause[] {
  return rows.flatMap(({ cause, certainty, explanation, advice }) => {
    const given = certainty(evidence);
    if (given === false) return [];
    return {
      cause,
      certainty: given,
      explanation: explanation(evidence),
      advice: typeof advice === 'string' ? advice : advice(evidence),
    };
  });
}

/** The receiver got nothing. */
const notSent: readonly Row<Evidence>[] = [
  {
    cause: 'subscription_gone',
    certainty: ({ delivery }) => delivery.status === 'cancelled' && 'certain',
    explanation: ({ delivery }) =>
      `Subscription ${delivery.subscriptionId} was deleted, which cancelled the delivery after ${attemptsInWords(delivery.attempts.length)}.`,
    advice: 'Subscribe again, and trigger the event again.',
  },
  {
    cause: 'not_attempted',
    certainty: () => 'certain',
    explanation: (evidence) =>
      isDueLater(evidence)
        ? `The first attempt is due at ${new Date(Number(evidence.delivery.dueAt)).toISOString()} by the workspace's clock.`
        : 'The first attempt is running, or waits for a free connection.',
    advice: (evidence) =>
      isDueLater(evidence) ? "Advance the workspace's clock, or wait." : 'Check again after the attempt.',
  },
];

function isDueLater({ delivery, now }: Evidence): boolean {
  return delivery.dueAt !== undefined && delivery.dueAt > now;
}

const acknowledged: Row<AttemptedEvidence> = {
  cause: 'acknowledged',
  certainty: () => 'certain',
  explanation({ attempt, delivery }) {
    const before = delivery.attempts.length - 1;
    const after = before === 0 ? '' : `, after ${attemptsInWords(before, 'failed')}`;
    return `The receiver responded with ${attempt.status}: it accepted the delivery${after}.`;
  },
  advice: 'You need not do anything.',
};

/** The words of an attempt that was not made for the address of its receiver. */
const addressWords = "the receiver's address must";

const errorOf = ({ attempt }: AttemptedEvidence): string => attempt.error ?? '';

/** The error of the runtime for a request without any response. */
const failsAs = (pattern: RegExp) => (evidence: AttemptedEvidence) =>
  evidence.attempt.status === undefined && pattern.test(errorOf(evidence)) && 'certain';

const detailOf = (evidence: AttemptedEvidence): string =>
  errorOf(evidence)
    .replace(/^no response: /, '')
    .replace(/\.$/, '');

/** No complete response arrived. The first row that matches is the cause, so the more specific ones come first. */
const noResponse: readonly Row<AttemptedEvidence>[] = [
  {
    cause: 'unreachable',
    certainty: (evidence) => errorOf(evidence).includes('`messaging-automation listen`') && 'certain',
    explanation: (evidence) =>
      `No \`messaging-automation listen\` was connected. It forwards the deliveries of this subscription to ${hostOf(evidence)}.`,
    advice: 'Start it again. It then gets the remaining retries.',
  },
  {
    cause: 'timeout',
    certainty: (evidence) => errorOf(evidence).startsWith('no complete response within ') && 'certain',
    explanation(evidence) {
      const { status } = evidence.attempt;
      const responded =
        status === undefined
          ? 'did not respond'
          : `responded with ${status}, but did not complete its response`;
      const [limit] = /(?<=^no complete response within )\S+ s/.exec(errorOf(evidence)) ?? [''];
      return `The receiver at ${hostOf(evidence)} ${responded} within ${limit}.`;
    },
    advice:
      "Respond before you do the work: a receiver of this package does so with acknowledge: 'after-claim'. " +
      'If the receiver stopped at a breakpoint, continue it.',
  },
  {
    cause: 'address_refused',
    certainty: (evidence) => errorOf(evidence).includes(addressWords) && 'certain',
    // A name that leads to such an address is refused while the server connects, which the error says first.
    explanation: (evidence) =>
      `The server did not connect to ${evidence.delivery.url}: ${errorOf(evidence).slice(errorOf(evidence).indexOf(addressWords))}.`,
    advice:
      "Use a public HTTPS endpoint, or one on this machine. In a network of containers, create the server with receiverAddresses: 'any' " +
      '(serve --receiver-addresses any).',
  },
  {
    cause: 'unreachable',
    certainty: failsAs(/ECONNREFUSED|connection refused|unable to connect|nothing listens/i),
    explanation: (evidence) => `Nothing listens on ${hostOf(evidence)}.`,
    advice(evidence) {
      const isHere = /^(.*\.)?localhost\b|^127\.|^\[::1\]/.test(hostOf(evidence));
      return `Start your receiver, or correct the subscription's URL.${isHere ? ' In a container, localhost is the container itself.' : ''}`;
    },
  },
  {
    cause: 'unreachable',
    certainty: failsAs(/ENOTFOUND|EAI_AGAIN|getaddrinfo|dns error|address is not known/i),
    explanation: (evidence) =>
      `The host name ${urlOf(evidence)?.hostname ?? evidence.delivery.url} has no address.`,
    advice: "Correct the host in the subscription's URL, or add it to DNS.",
  },
  {
    cause: 'unreachable',
    certainty: failsAs(/EPROTO|wrong version number|ssl routines|packet length|secure TLS connection/i),
    explanation: (evidence) =>
      `The program at ${hostOf(evidence)} does not use TLS, but the subscription's URL begins with https://.`,
    advice:
      'Correct the port, or enable TLS in the receiver. For a receiver on this machine, you can use http://.',
  },
  {
    cause: 'unreachable',
    certainty: failsAs(/certificate|CERT_|altnames|UNABLE_TO_/i),
    explanation: (evidence) =>
      `The server does not trust the certificate of ${hostOf(evidence)}: ${detailOf(evidence)}.`,
    advice:
      'Install a certificate for this host name from an authority that the server trusts. NODE_EXTRA_CA_CERTS adds authorities. ' +
      'A receiver on this machine may have a URL with http://.',
  },
  {
    cause: 'unreachable',
    certainty: failsAs(/Parse Error|HPE_|Expected HTTP/i),
    explanation: (evidence) => `The program at ${hostOf(evidence)} does not respond in HTTP.`,
    advice: "Correct the port in the subscription's URL. If the program uses TLS, use https://.",
  },
  {
    cause: 'response_interrupted',
    certainty: (evidence) =>
      (evidence.attempt.status !== undefined ||
        /ECONNRESET|EPIPE|socket hang up|other side closed|interrupted|connection was reset/i.test(
          errorOf(evidence),
        )) &&
      'certain',
    explanation(evidence) {
      const { status } = evidence.attempt;
      const when = status === undefined ? 'before it responded' : `in the middle of its response (${status})`;
      return `The receiver at ${hostOf(evidence)} closed the connection ${when}.`;
    },
    advice:
      'Check its log: it may have crashed or restarted, or a proxy closed the connection. ' +
      "If the receiver uses TLS, the subscription's URL must begin with https://.",
  },
  {
    cause: 'unreachable',
    certainty: () => 'certain',
    explanation: (evidence) => `No response from ${hostOf(evidence)}: ${detailOf(evidence)}.`,
    advice: "Check the subscription's URL, the network, and that the receiver is running.",
  },
];

/** The error of this package's receivers for a body that a parser has read, as frameworks show it in development. */
const [ofParsedBody = ''] = rawBodyAdvice.split('.');

/** How other receivers report it. */
const parsedWords =
  /stream is not readable|body (is unusable|has already been|already (read|used|consumed))|raw(Body| body)|payload must be provided as a string or a Buffer/i;

const saysParsed = ({ text }: ResponseEvidence): boolean =>
  text.includes(ofParsedBody) || parsedWords.test(text);

/** Whether the receiver says that it rejected the signature. */
const isOfSignature = ({ status, text }: ResponseEvidence): boolean =>
  status === 401 || /signature|hmac|\bsecret\b/i.test(text);

/** Statuses with which receivers reject what they read. */
const refusals: readonly number[] = [400, 401, 403, 422];

/** Statuses below 500, or of a proxy, that have a row of their own. */
const named: readonly number[] = [...refusals, 404, 405, 410, 413, 415, 429, 502, 503, 504];

const isFailure = ({ status }: ResponseEvidence): boolean => status >= 500 && !named.includes(status);

/** The receivers of this package respond with 500 without a text to a parsed body and to an error of the handler. */
const mayBeParsed = ({ status, text }: ResponseEvidence): boolean => status === 500 && text === '';

/** Whether the signature may not have matched. */
const isMismatch = (evidence: ResponseEvidence): boolean =>
  refusals.includes(evidence.status) || (isFailure(evidence) && isOfSignature(evidence));

/** Whether JSON.parse and JSON.stringify reproduce the sent bytes, so that parsing the body does not break the signature. */
function isWrittenBackTheSame({ body }: ResponseEvidence): boolean {
  const text = new TextDecoder().decode(body);
  return JSON.stringify(JSON.parse(text)) === text;
}

function certaintyOfParsedBody(evidence: ResponseEvidence): Certainty | false {
  const { text, acknowledgedOthers } = evidence;
  if (text.includes(ofParsedBody)) return 'certain';
  if (saysParsed(evidence)) return 'likely';
  // A receiver that verified another delivery takes its bodies raw.
  if (mayBeParsed(evidence)) return acknowledgedOthers ? 'possible' : 'likely';
  if (!isMismatch(evidence)) return false;
  const isLikely = acknowledgedOthers || !isWrittenBackTheSame(evidence);
  return isLikely && isOfSignature(evidence) ? 'likely' : 'possible';
}

const quoted = (text: string): string => (text === '' ? '' : `, “${beginningOf(text)}”`);

/** The receiver responded with a status other than 2xx. */
const responses: readonly Row<ResponseEvidence>[] = [
  {
    cause: 'redirect',
    certainty: ({ status }) => status >= 300 && status < 400 && 'certain',
    explanation({ status, attempt }) {
      return attempt.error?.startsWith('the receiver redirected')
        ? `The redirect (${status}) could not be followed: ${attempt.error}.`
        : `The receiver responded with ${status}: a redirect, which the service does not follow.`;
    },
    advice: (evidence) =>
      `Use the URL to which ${urlOf(evidence)?.href ?? evidence.delivery.url} redirects as the URL of the subscription. Usual reasons: a missing slash at the end, http:// instead of https://, or a login page.`,
  },
  {
    cause: 'not_found',
    certainty({ status, text }) {
      if (![404, 405, 410].includes(status)) return false;
      // The pages of Express and Fastify for a path without a route.
      return status === 405 || /Cannot POST|Route POST:/.test(text) ? 'certain' : 'likely';
    },
    explanation: (evidence) =>
      `The receiver responded with ${evidence.status}: it has no route for POST ${urlOf(evidence)?.pathname ?? evidence.delivery.url}.`,
    advice: "Correct the path in the subscription's URL, or add a POST route to the receiver.",
  },
  {
    cause: 'too_large',
    certainty: ({ status }) => status === 413 && 'certain',
    explanation: ({ body }) =>
      `The receiver responded with 413: the body of ${body.byteLength} bytes exceeds its limit.`,
    advice:
      'Raise the limit: maxBodyBytes of a receiver of this package, limit of express.raw(), or the limit of the proxy.',
  },
  {
    cause: 'media_type',
    certainty: ({ status }) => status === 415 && 'certain',
    explanation: () =>
      'The receiver responded with 415: it does not accept the content type application/json, or a proxy changed the encoding of the body.',
    advice:
      'Accept application/json. A receiver of this package responds with 415 to a compressed body: turn off the compression of requests in the proxy.',
  },
  {
    cause: 'busy',
    certainty: ({ status }) => (status === 429 || status === 503) && 'certain',
    explanation: ({ status }) =>
      `The receiver responded with ${status}: it does not accept deliveries at the moment.`,
    advice:
      'The service retries. A receiver of this package responds with 503 while it closes, at maxConcurrent, if its dedupe store fails, and if reading the body or a handler takes too long.',
  },
  {
    cause: 'unreachable',
    certainty: ({ status }) => (status === 502 || status === 504) && 'likely',
    explanation: (evidence) =>
      `A proxy or tunnel at ${hostOf(evidence)} responded with ${evidence.status}: it got no response from the receiver behind it.`,
    advice: 'Start your receiver, and check the address that the proxy forwards to.',
  },
  {
    cause: 'body_refused',
    certainty: (evidence) => [400, 422].includes(evidence.status) && !isOfSignature(evidence) && 'likely',
    explanation: ({ status }) =>
      `The receiver responded with ${status}: it rejected the content of the event. The signature may have been valid.`,
    advice:
      "Check the receiver's log. A receiver of this package responds with 400 if the event belongs to another workspace than its workspaceId, " +
      'if the body is not an event, or if the timestamp is too old or too new.',
  },
  {
    cause: 'wrong_secret',
    certainty(evidence) {
      if (!isMismatch(evidence)) return false;
      // A receiver that verified another delivery has the right secret.
      return isOfSignature(evidence) && !evidence.acknowledgedOthers ? 'likely' : 'possible';
    },
    explanation(evidence) {
      const subscription = subscriptionOf(evidence);
      const other = otherAtSameUrl(evidence);
      const withThatEnding =
        subscription === undefined
          ? "with the subscription's secret, which was deleted in the meantime"
          : `with the secret that ends in …${endingOf(subscription.secret)}`;
      const alsoThere =
        other &&
        ` Subscription ${other.id} delivers to the same URL, and its secret ends in …${endingOf(other.secret)}.`;
      return `The receiver responded with ${evidence.status}, as a receiver with another secret does. The delivery was signed ${withThatEnding}.${alsoThere ?? ''}`;
    },
    advice: (evidence) =>
      'Compare the last characters with those of the WEBHOOK_SECRET of the receiver, and correct the secret. The prefix whsec_ is a part of it.' +
      (otherAtSameUrl(evidence) === undefined
        ? ''
        : ' Configure the receiver with both secrets, or delete the subscription that you do not need.'),
  },
  {
    cause: 'parsed_body',
    certainty: certaintyOfParsedBody,
    explanation(evidence) {
      const isCertain = certaintyOfParsedBody(evidence) === 'certain';
      return (
        `Something in front of the receiver ${isCertain ? 'parsed' : 'may have parsed'} the body, so the receiver verified other bytes than the signed ones. ` +
        `It responded with ${evidence.status}${isCertain ? ', and its response names a body that is not raw' : ''}.`
      );
    },
    advice: findingOf('body_rewritten', false).advice,
  },
  {
    cause: 'access_denied',
    certainty({ status, ...evidence }) {
      if (status !== 401 && status !== 403) return false;
      return status === 403 && !isOfSignature({ status, ...evidence }) ? 'likely' : 'possible';
    },
    explanation: ({ status }) =>
      `Something in front of the receiver may have responded with ${status}: a login, CSRF protection, a proxy or a firewall.`,
    advice: 'Exempt POST requests to this path from it: the signature already proves who sent a delivery.',
  },
  {
    cause: 'receiver_failed',
    certainty: (evidence) => isFailure(evidence) && 'likely',
    explanation: ({ status, text }) =>
      `The receiver had an error: it responded with ${status}${quoted(text)}.`,
    advice:
      "Check the receiver's log or its onError callback. A handler that throws causes this. The service retries the delivery, so make the handler idempotent.",
  },
  {
    cause: 'refused',
    certainty: ({ status }) =>
      (status < 300 || status >= 400) && status < 500 && !named.includes(status) && 'certain',
    explanation: ({ status, text }) =>
      `The receiver responded with ${status}${quoted(text)}: only a 2xx status acknowledges a delivery.`,
    advice: 'Return 204 when your receiver has accepted the delivery.',
  },
];

const mostQuoted = 160;

function beginningOf(text: string): string {
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
}

/** A number of attempts: `1 attempt`, or `2 failed attempts`. */
function attemptsInWords(count: number, kind = ''): string {
  return [count, kind, count === 1 ? 'attempt' : 'attempts'].filter((word) => word !== '').join(' ');
}
