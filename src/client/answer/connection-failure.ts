import type { Redact } from '../../contract/redaction.js';
import { isObject } from '../../foundation/is-object.js';
import { describeOutcome, type Failure } from '../errors/failure.js';
import type { Outcome } from '../errors/request-error.js';
import { ConnectionError, NotSentError } from '../errors/unanswered-errors.js';

/** Codes that occur only before a connection is established. */
const codesBeforeConnecting: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Codes of a TLS handshake that failed before any request: the server answered without TLS, or knows no common version. */
const handshakeCodes: readonly unknown[] = [
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', // the same since OpenSSL 3.2
];

/** Codes of a rejected server certificate. No request was sent, and a retry fails again. */
const certificateCode =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF|HOSTNAME_MISMATCH)/;

/**
 * Interprets the error of a transport. It keeps only the code and a redacted message.
 *
 * @param outcome The outcome that the attempt knows: `not_sent` if the transport has not started to send the request.
 */
export function connectionFailure(thrown: unknown, outcome: Outcome, redact: Redact): Failure {
  const chain = causeChain(thrown);
  const refusedCertificate = chain.some((error) => certificateCode.test(codeOf(error) ?? ''));
  const wrongAddress = chain.some(cannotBeReached);
  const proxyStatus = chain.map(statusOfProxy).find((status) => status !== undefined);
  const notSent =
    outcome === 'not_sent' ||
    refusedCertificate ||
    wrongAddress ||
    proxyStatus !== undefined ||
    chain.some(happenedBeforeConnecting);
  const code = chain.map(codeOf).findLast((found) => found !== undefined);
  const innermost = redact(messageOf(chain.at(-1)));
  return {
    outcome: notSent ? 'not_sent' : 'unknown',
    temporary: !refusedCertificate && !wrongAddress && proxyStatus !== 403 && proxyStatus !== 407,
    toError(facts) {
      const what = notSent ? 'could not reach the service' : 'lost its connection to the service';
      let advice = notSent ? 'Check the base URL and the network.' : '';
      if (refusedCertificate)
        advice =
          "The server's certificate was not accepted: check the base URL and the certificates this machine trusts.";
      if (proxyStatus !== undefined)
        advice = `The proxy answered ${proxyStatus} to CONNECT: check its address, its credentials and what it allows.`;
      const sentences = [
        `${facts.operation} ${what}${code ? ` (${code})` : ''}.`,
        describeOutcome(facts),
        advice,
      ];
      return new ConnectionError(sentences.filter(Boolean).join(' '), {
        ...facts,
        code,
        cause: Object.assign(new Error(innermost), code && { code }),
      });
    },
  };
}

/** The error and its chain of causes, at most five: no runtime nests more. */
function causeChain(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [thrown];
  for (let cause = property(thrown, 'cause'); isObject(cause) && chain.length < 5; cause = cause.cause)
    chain.push(cause);
  return chain;
}

/** Whether no request to this address can succeed: the port does not support TLS, or `fetch` blocks the port. */
function cannotBeReached(error: unknown): boolean {
  return handshakeCodes.includes(codeOf(error)) || messageOf(error) === 'bad port';
}

/** The status with which a proxy refused a tunnel to the service, as undici says it. */
function statusOfProxy(error: unknown): number | undefined {
  const [, status] = /^Proxy response \((\d{3})\) !== 200/.exec(messageOf(error)) ?? [];
  return status === undefined ? undefined : Number(status);
}

function happenedBeforeConnecting(error: unknown): boolean {
  if (error instanceof NotSentError) return true;
  // Node tries several addresses at once; each must have failed before connecting.
  const tried = property(error, 'errors');
  if (Array.isArray(tried) && tried.length > 0) return tried.every(happenedBeforeConnecting);
  // Deno has no code, only this message.
  if (messageOf(error).includes('client error (Connect)')) return true;
  return property(error, 'syscall') === 'connect' || codesBeforeConnecting.includes(codeOf(error));
}

function codeOf(error: unknown): string | undefined {
  const code = property(error, 'code');
  return typeof code === 'string' && /^[\w/]+$/.test(code) ? code : undefined;
}

/** Reads a property without `instanceof`, because the error may come from another realm. */
function property(error: unknown, name: string): unknown {
  return isObject(error) ? error[name] : undefined;
}

function messageOf(error: unknown): string {
  const message = property(error, 'message');
  return typeof message === 'string' && message !== '' ? message : 'The connection failed.';
}
