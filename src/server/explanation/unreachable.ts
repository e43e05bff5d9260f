import { type AttemptedEvidence, hostOf, urlOf } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

type Words = Pick<DeliveryCause, 'cause' | 'explanation' | 'advice'>;

/** What the errors of the runtimes say when a request gets no answer, the more telling first. */
const errors: readonly (readonly [RegExp, (evidence: AttemptedEvidence) => Words])[] = [
  [/ECONNREFUSED|connection refused|unable to connect|nothing listens/i, refused],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo|dns error|address is not known/i, unresolved],
  [/EPROTO|wrong version number|ssl routines|packet length|secure TLS connection/i, withoutTls],
  [/certificate|CERT_|altnames|UNABLE_TO_/i, distrusted],
  [/Parse Error|HPE_|Expected HTTP/i, withoutHttp],
  [/ECONNRESET|EPIPE|socket hang up|other side closed|broke off|connection was reset/i, broken],
];

/** Why no complete answer came. */
export function* causesOfNoAnswer(evidence: AttemptedEvidence): Generator<DeliveryCause> {
  const { attempt } = evidence;
  const { error = '' } = attempt;
  const timeout = /^no complete answer within (\S+ s)/.exec(error);
  if (error.includes('`messaging-automation listen`')) {
    yield { ...withoutListener(evidence), certainty: 'certain' };
  } else if (timeout !== null) {
    yield { ...timedOut(evidence, timeout[1] ?? ''), certainty: 'certain' };
  } else if (error.startsWith("the receiver's address must")) {
    yield { ...addressRefused(evidence, error), certainty: 'certain' };
  } else {
    const [, wordsOf = noRoute] = errors.find(([pattern]) => pattern.test(error)) ?? [];
    const words = attempt.status === undefined ? wordsOf(evidence) : broken(evidence);
    yield { ...words, certainty: 'certain' };
  }
}

function timedOut(evidence: AttemptedEvidence, limit: string): Words {
  const { status } = evidence.attempt;
  const answered = status === undefined ? 'did not answer' : `answered ${status}, but did not end its answer`;
  return {
    cause: 'timeout',
    explanation: `The receiver at ${hostOf(evidence)} ${answered} within ${limit}.`,
    advice:
      "Answer first and work afterwards: a receiver of this package does so with acknowledge: 'after-claim'. " +
      'If the receiver stands at a breakpoint, let it go on.',
  };
}

function withoutListener(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `No \`messaging-automation listen\` was connected, which takes the deliveries of this subscription to ${hostOf(evidence)}.`,
    advice: 'Start it again. It gets the retries that are still to come.',
  };
}

function addressRefused({ delivery }: AttemptedEvidence, error: string): Words {
  return {
    cause: 'address_refused',
    explanation: `The server did not connect to ${delivery.url}: ${error}.`,
    advice:
      "Use a public HTTPS endpoint or one of this machine. In a network of containers, create the server with receiverAddresses: 'any' " +
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
    explanation: `The name ${host} leads to no address.`,
    advice: "Correct the host in the subscription's URL, or have DNS know it.",
  };
}

function withoutTls(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `What listens on ${hostOf(evidence)} does not speak TLS, and the subscription's URL begins with https://.`,
    advice:
      'Correct the port, or have the receiver speak TLS. A receiver on this machine may have a URL with http://.',
  };
}

function distrusted(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `The certificate of ${hostOf(evidence)} is not trusted: ${detailOf(evidence)}.`,
    advice:
      'Give the receiver a certificate for this name from an authority that the server trusts; NODE_EXTRA_CA_CERTS names others. ' +
      'A receiver on this machine may have a URL with http://.',
  };
}

function withoutHttp(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `What listens on ${hostOf(evidence)} does not answer in HTTP.`,
    advice: "Correct the port in the subscription's URL. If it speaks TLS, write https://.",
  };
}

function broken(evidence: AttemptedEvidence): Words {
  const { status } = evidence.attempt;
  const when = status === undefined ? 'before it answered' : `in the middle of its answer (${status})`;
  return {
    cause: 'broken_answer',
    explanation: `The receiver at ${hostOf(evidence)} broke off the connection ${when}.`,
    advice:
      'Look into its log: it may have crashed or been started anew, or a proxy gave up. ' +
      "If it speaks TLS, the subscription's URL must begin with https://.",
  };
}

function noRoute(evidence: AttemptedEvidence): Words {
  return {
    cause: 'unreachable',
    explanation: `No answer came from ${hostOf(evidence)}: ${detailOf(evidence)}.`,
    advice: "Check the subscription's URL, the network between, and that the receiver runs.",
  };
}

function detailOf({ attempt }: AttemptedEvidence): string {
  return (attempt.error ?? '').replace(/^no answer came: /, '').replace(/\.$/, '');
}
