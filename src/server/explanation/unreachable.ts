import { type AttemptedEvidence, hostOf, urlOf } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

type Words = Pick<DeliveryCause, 'cause' | 'explanation' | 'advice'>;

/** The words of an attempt that was not made for the address of its receiver. */
const addressWords = "the receiver's address must";

/** Patterns of the runtimes' errors for a request without a response. The more specific ones come first. */
const errors: readonly (readonly [RegExp, (evidence: AttemptedEvidence) => Words])[] = [
  [/ECONNREFUSED|connection refused|unable to connect|nothing listens/i, refused],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo|dns error|address is not known/i, unresolved],
  [/EPROTO|wrong version number|ssl routines|packet length|secure TLS connection/i, withoutTls],
  [/certificate|CERT_|altnames|UNABLE_TO_/i, distrusted],
  [/Parse Error|HPE_|Expected HTTP/i, withoutHttp],
  [/ECONNRESET|EPIPE|socket hang up|other side closed|broke off|connection was reset/i, broken],
];

/** Yields why no complete response arrived. */
export function* causesOfNoAnswer(evidence: AttemptedEvidence): Generator<DeliveryCause> {
  const { attempt } = evidence;
  const { error = '' } = attempt;
  const timeout = /^no complete answer within (\S+ s)/.exec(error);
  if (error.includes('`messaging-automation listen`')) {
    yield { ...withoutListener(evidence), certainty: 'certain' };
  } else if (timeout !== null) {
    yield { ...timedOut(evidence, timeout[1] ?? ''), certainty: 'certain' };
  } else if (error.includes(addressWords)) {
    // A name that leads to such an address is refused while the server connects, which the error says first.
    yield {
      ...addressRefused(evidence, error.slice(error.indexOf(addressWords))),
      certainty: 'certain',
    };
  } else {
    const [, wordsOf = noRoute] = errors.find(([pattern]) => pattern.test(error)) ?? [];
    const words = attempt.status === undefined ? wordsOf(evidence) : broken(evidence);
    yield { ...words, certainty: 'certain' };
  }
}

function timedOut(evidence: AttemptedEvidence, limit: string): Words {
  const { status } = evidence.attempt;
  const answered =
    status === undefined ? 'did not answer' : `answered ${status}, but did not complete its response`;
  return {
    cause: 'timeout',
    explanation: `The receiver at ${hostOf(evidence)} ${answered} within ${limit}.`,
    advice:
      "Answer before you do the work: a receiver of this package does so with acknowledge: 'after-claim'. " +
      'If the receiver stopped at a breakpoint, continue it.',
  };
}

function withoutListener(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `No \`messaging-automation listen\` was connected. It forwards the deliveries of this subscription to ${hostOf(evidence)}.`,
    advice: 'Start it again. It then gets the remaining retries.',
  };
}

function addressRefused({ delivery }: AttemptedEvidence, error: string): Words {
  return {
    cause: 'address_refused',
    explanation: `The server did not connect to ${delivery.url}: ${error}.`,
    advice:
      "Use a public HTTPS endpoint, or one on this machine. In a network of containers, create the server with receiverAddresses: 'any' " +
      '(serve --receiver-addresses any).',
  };
}

function refused(evidence: AttemptedEvidence): Words {
  const host = hostOf(evidence);
  const here = /^(.*\.)?localhost\b|^127\.|^\[::1\]/.test(host);
  return {
    cause: 'unreachable',
    explanation: `Nothing listens on ${host}.`,
    advice: `Start your receiver, or correct the subscription's URL.${here ? ' In a container, localhost is the container itself.' : ''}`,
  };
}

function unresolved(evidence: AttemptedEvidence): Words {
  const { delivery } = evidence;
  const host = urlOf(evidence)?.hostname ?? delivery.url;
  return {
    cause: 'unreachable',
    explanation: `The host name ${host} has no address.`,
    advice: "Correct the host in the subscription's URL, or add it to DNS.",
  };
}

function withoutTls(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `The program at ${hostOf(evidence)} does not use TLS, but the subscription's URL begins with https://.`,
    advice:
      'Correct the port, or enable TLS in the receiver. For a receiver on this machine, you can use http://.',
  };
}

function distrusted(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `The server does not trust the certificate of ${hostOf(evidence)}: ${detailOf(evidence)}.`,
    advice:
      'Install a certificate for this host name from an authority that the server trusts. NODE_EXTRA_CA_CERTS adds authorities. ' +
      'A receiver on this machine may have a URL with http://.',
  };
}

function withoutHttp(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `The program at ${hostOf(evidence)} does not answer in HTTP.`,
    advice: "Correct the port in the subscription's URL. If the program uses TLS, use https://.",
  };
}

function broken(evidence: AttemptedEvidence): Words {
  const { status } = evidence.attempt;
  const when = status === undefined ? 'before it answered' : `in the middle of its response (${status})`;
  return {
    cause: 'broken_answer',
    explanation: `The receiver at ${hostOf(evidence)} closed the connection ${when}.`,
    advice:
      'Check its log: it may have crashed or restarted, or a proxy closed the connection. ' +
      "If the receiver uses TLS, the subscription's URL must begin with https://.",
  };
}

function noRoute(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `No answer came from ${hostOf(evidence)}: ${detailOf(evidence)}.`,
    advice: "Check the subscription's URL, the network, and that the receiver is running.",
  };
}

function detailOf({ attempt }: AttemptedEvidence): string {
  return (attempt.error ?? '').replace(/^no answer came: /, '').replace(/\.$/, '');
}
